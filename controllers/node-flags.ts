/** The flags of the node lifecycle controller, with upstream's names. `validate-flags.ts` has the rules about their values. */
import { decimalFlag, durationFlag, intFlag } from '../shared/cli/flags';

const NODES = 'Nodes';

/** Rows of the flag table; durations are in milliseconds. */
export const nodeFlags = {
  'node-monitor-period': durationFlag({ section: NODES, help: 'Time between two checks of the health of all nodes.', default: 5_000 }),
  'node-monitor-grace-period': durationFlag({
    section: NODES,
    help: 'Time without a heartbeat after which a node is unhealthy.',
    default: 40_000,
  }),
  'node-startup-grace-period': durationFlag({
    section: NODES,
    help: 'Time after its creation in which a node may be without a first heartbeat.',
    default: 60_000,
  }),
  'node-eviction-rate': decimalFlag({
    section: NODES,
    help: 'Unhealthy nodes per second from which pods are evicted, in a healthy zone or in a zone without a healthy node.',
    default: 0.1,
    min: 0,
  }),
  'secondary-node-eviction-rate': decimalFlag({
    section: NODES,
    help: 'Like --node-eviction-rate, in a large unhealthy zone. In a small unhealthy zone no pods are evicted.',
    default: 0.01,
    min: 0,
  }),
  'unhealthy-zone-threshold': decimalFlag({
    section: NODES,
    help: 'Fraction of unhealthy nodes (at least three) at which a zone is unhealthy.',
    default: 0.55,
    min: 0,
    max: 1,
  }),
  'large-cluster-size-threshold': intFlag({
    section: NODES,
    help: 'Zones with more nodes are large.',
    default: 50,
    min: 0,
  }),
};
