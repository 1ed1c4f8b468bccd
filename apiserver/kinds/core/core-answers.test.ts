/**
 * Replays what release 1.31.1 said to good and bad ConfigMaps, Secrets, ServiceAccounts, Namespaces, Nodes, Leases and Events, created and put in place
 * of a stored one (recorded by test/replay/core.ts).
 */
import { recordingsIn } from '../../../test/replay/recording';
import { replayKinds } from '../../../test/support/replay-kinds';

replayKinds(recordingsIn('core'));
