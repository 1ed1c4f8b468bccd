/**
 * Replays what release 1.31.1 said to good and bad roles, bindings, quotas, limit ranges, priority, storage and runtime classes, volumes and claims, created
 * and put in place of a stored one (governance-answers.json, made by test/recordings/governance.ts).
 */
import { replayKinds } from '../../test/support/replay-kinds';
import recorded from './governance-answers.json';

replayKinds(recorded);
