/** Replays what release 1.31.1 said to good and bad Pods (recorded by test/replay/pod.ts). */
import { recordingsIn } from '../../../../test/replay/recording';
import { replayKinds } from '../../../../test/support/replay-kinds';

replayKinds(recordingsIn('pod'));
