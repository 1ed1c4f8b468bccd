/**
 * Replays what release 1.31.1 said to good and bad roles, bindings, quotas, limit ranges, priority, storage and runtime classes, volumes and claims, created
 * and put in place of a stored one (made by test/recordings/governance.ts).
 */
import { recordedAnswers } from '../../test/recordings/answers';
import { replayKinds } from '../../test/support/replay-kinds';

replayKinds(recordedAnswers('governance/kinds'));
