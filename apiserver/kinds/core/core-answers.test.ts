/**
 * Replays what release 1.31.1 said to good and bad ConfigMaps, Secrets, ServiceAccounts, Namespaces, Nodes, Leases and Events, created and put in place
 * of a stored one (made by test/recordings/core.ts).
 */
import { recordedAnswers } from '../../../test/recordings/answers';
import { replayKinds } from '../../../test/support/replay-kinds';

replayKinds(recordedAnswers('core/kinds'));
