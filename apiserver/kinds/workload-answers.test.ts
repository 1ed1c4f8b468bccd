/** Replays what release 1.31.1 said to good and bad workloads, budgets and autoscalers (recorded by test/replay/workloads.ts). */
import { recordingsIn } from '../../test/replay/recording';
import { replayKinds } from '../../test/support/replay-kinds';

replayKinds(recordingsIn('workloads'));
