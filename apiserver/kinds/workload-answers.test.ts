/** Replays what release 1.31.1 said to good and bad workloads, budgets and autoscalers (made by test/recordings/workloads.ts). */
import { recordedAnswers, recordedNames } from '../../test/recordings/answers';
import { replayKinds } from '../../test/support/replay-kinds';

for (const name of recordedNames('workloads')) replayKinds(recordedAnswers(name));
