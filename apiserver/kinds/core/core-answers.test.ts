/**
 * Replays recorded responses to ConfigMaps, Secrets, ServiceAccounts, Namespaces, Nodes, Leases and Events, valid and
 * invalid.
 */
import { listRecordings } from '../../../test/replay/recording';
import { replayKindCases } from '../../../test/replay/formats/replay-kind-cases';

replayKindCases(listRecordings('core'));
