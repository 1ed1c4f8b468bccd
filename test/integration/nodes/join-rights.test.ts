/**
 * What anonymous users, the user of a bootstrap token and a node may do on a cluster that `platform` prepared, compared
 * with a release 1.31.1 server that kubeadm prepared.
 */
import { replayRequests } from '../http/replay-requests';
import { prepareCluster, SERVICE_RANGES } from './prepared-cluster';

replayRequests(['nodes/join-rights'], { server: () => ({ serviceRanges: SERVICE_RANGES }), prepare: prepareCluster });
