/** The flags of the controllers of nodes, with upstream's names. `flags.ts` has the rules about their values. */
import { boolFlag, choiceFlag, decimalFlag, durationFlag, intFlag, stringFlag } from '../shared/cli/flags';

const NODES = 'Nodes';
const PREFIX_LENGTH = { default: 0, min: 0, max: 128 } as const;

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
  'allocate-node-cidrs': boolFlag({ section: NODES, help: 'Assign pod CIDRs to nodes. Needs --cluster-cidr.', default: false }),
  'cluster-cidr': stringFlag({
    section: NODES,
    help: 'Range of the pod CIDRs of nodes; two, separated by a comma, for IPv4 and IPv6. Used with --allocate-node-cidrs.',
    default: '',
  }),
  'cidr-allocator-type': choiceFlag({
    section: NODES,
    help: 'How pod CIDRs are allocated. Allocation by a cloud provider is not available.',
    default: 'RangeAllocator',
    values: ['RangeAllocator'],
  }),
  'node-cidr-mask-size': intFlag({
    section: NODES,
    help: "Prefix length of a node's pod CIDR, with one cluster CIDR; 0: 24 for IPv4, 64 for IPv6.",
    ...PREFIX_LENGTH,
  }),
  'node-cidr-mask-size-ipv4': intFlag({ section: NODES, help: "Prefix length of a node's IPv4 pod CIDR; 0: 24.", ...PREFIX_LENGTH }),
  'node-cidr-mask-size-ipv6': intFlag({ section: NODES, help: "Prefix length of a node's IPv6 pod CIDR; 0: 64.", ...PREFIX_LENGTH }),
  'service-cluster-ip-range': stringFlag({
    section: NODES,
    help: 'Range of Service addresses, one of each family at most: pod CIDRs do not overlap with it. Used with --allocate-node-cidrs.',
    default: '',
  }),
};
