/** Replays what release 1.31.1 said to good and bad Pods (made by test/recordings/pods.ts). */
import { recordedAnswers, recordedNames } from '../../../../test/recordings/answers';
import { replayKinds } from '../../../../test/support/replay-kinds';

for (const name of recordedNames('pods')) replayKinds(recordedAnswers(name));
