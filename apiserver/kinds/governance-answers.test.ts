/**
 * Replays what release 1.31.1 said to good and bad roles, bindings, quotas, limit ranges, priority, storage and runtime classes, volumes, claims and requests for
 * certificates, created
 * and put in place of a stored one (recorded by test/replay/governance.ts).
 */
import { recordingsIn } from '../../test/replay/recording';
import { replayKinds } from '../../test/support/replay-kinds';

replayKinds(recordingsIn('governance'));
