/** Replays what release 1.31.1 said to good and bad Pods (recorded by test/recordings/pod.ts). */
import { recordingsIn } from '../../../../test/recordings/recording';
import { replayKinds } from '../../../../test/support/replay-kinds';

replayKinds(recordingsIn('pod'));
