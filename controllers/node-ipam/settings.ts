/**
 * The flags of the node-ipam controller, with upstream's names, and the settings that they make. The rules about node
 * CIDRs and their messages are upstream's. Two errors are found here only: an invalid Service range, which upstream
 * ignores, and a node CIDR that is longer than an address, with which upstream's controller fails when it starts.
 */
import { boolFlag, choiceFlag, intFlag, stringFlag, type FlagValues } from '../../shared/cli/flags';
import { ADDRESS_BITS, parseIpRange, type IpRange } from '../../shared/values/network/ip-address';
import { MAX_BLOCK_BITS } from '../runtime/cidr-set';
import type { ClusterCidr, NodeIpamSettings } from '../runtime/controller';

const NODES = 'Nodes';
const PREFIX_LENGTH = { default: 0, min: 0, max: 128 } as const;

/** Rows of the flag table; `default: 0` of a mask size stands for the default of its family. */
export const nodeIpamFlags = {
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

/** The values that the settings are made of. */
export type NodeIpamFlags = Omit<FlagValues<typeof nodeIpamFlags>, 'cidr-allocator-type'>;

/**
 * By how many bits a node CIDR may be longer than the cluster CIDR. That of IPv6 is upstream's limit. Upstream has none for
 * IPv4, where CidrSet limits the number of blocks.
 */
const MAX_DIFFERENCE = { 4: MAX_BLOCK_BITS, 6: 16 } as const;
/** The prefix lengths without a flag. */
const DEFAULT_NODE_PREFIX = { 4: 24, 6: 64 } as const;

/** Returns `undefined` when nodes get no pod CIDRs, and a string when the flags contradict each other: their error. */
export function nodeIpamSettings(flags: NodeIpamFlags): NodeIpamSettings | string | undefined {
  if (!flags['allocate-node-cidrs']) return undefined;
  const ranges = parseRanges('cluster-cidr', flags['cluster-cidr']);
  if (typeof ranges === 'string') return ranges;
  if (ranges.length === 0) return '--cluster-cidr must be set with --allocate-node-cidrs';
  const serviceRanges = parseRanges('service-cluster-ip-range', flags['service-cluster-ip-range']);
  if (typeof serviceRanges === 'string') return serviceRanges;
  const prefixError = checkNodePrefixes(flags, ranges);
  if (prefixError !== undefined) return prefixError;
  const clusterCidrs: ClusterCidr[] = [];
  for (const range of ranges) {
    const nodePrefix = nodePrefixOf(flags, range, ranges.length);
    if (nodePrefix > ADDRESS_BITS[range.family]) return `an IPv${range.family} address has no ${nodePrefix} bits for a node CIDR`;
    if (nodePrefix < range.prefix)
      return 'invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size configured for CIDR family';
    if (nodePrefix - range.prefix > MAX_DIFFERENCE[range.family])
      return `the node CIDR size is too big: a node CIDR may be at most ${MAX_DIFFERENCE[range.family]} bits longer than --cluster-cidr`;
    clusterCidrs.push({ range, nodePrefix });
  }
  return { clusterCidrs, serviceRanges };
}

/** Up to two ranges, of different families. Returns a string for the error of the flag. */
function parseRanges(flag: string, text: string): readonly IpRange[] | string {
  const parts = text === '' ? [] : text.split(',').map((part) => part.trim());
  if (parts.length > 2) return `length of --${flag} is: ${parts.length} more than max allowed of 2`;
  const ranges: IpRange[] = [];
  for (const part of parts) {
    const range = parseIpRange(part);
    if (range === undefined) return `--${flag}: invalid CIDR address: ${part}`;
    ranges.push(range);
  }
  const [first, second] = ranges;
  return second !== undefined && first?.family === second.family
    ? `the two ranges of --${flag} must be configured as dual stack (one from each IPFamily)`
    : ranges;
}

/** The error of flags that do not fit the families of the cluster CIDRs; `undefined` when they do. */
function checkNodePrefixes(flags: NodeIpamFlags, ranges: readonly IpRange[]): string | undefined {
  const isSet = (name: 'node-cidr-mask-size' | 'node-cidr-mask-size-ipv4' | 'node-cidr-mask-size-ipv6'): boolean => flags[name] !== 0;
  const hasCommonSize = isSet('node-cidr-mask-size');
  const hasIpv4Size = isSet('node-cidr-mask-size-ipv4');
  const hasIpv6Size = isSet('node-cidr-mask-size-ipv6');
  const notAllowed = (flag: string, cluster: string): string => `usage of ${flag} is not allowed ${cluster}`;
  if (ranges.length === 2) return hasCommonSize ? notAllowed('--node-cidr-mask-size', 'with dual-stack clusters') : undefined;
  const hasFamilySize = hasIpv4Size || hasIpv6Size;
  if (hasCommonSize && hasFamilySize)
    return notAllowed('--node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6', 'if --node-cidr-mask-size is set');
  const family = ranges[0]?.family;
  if (family === 4 && hasIpv6Size) return notAllowed('--node-cidr-mask-size-ipv6', 'for a single-stack IPv4 cluster');
  if (family === 6 && hasIpv4Size) return notAllowed('--node-cidr-mask-size-ipv4', 'for a single-stack IPv6 cluster');
  return undefined;
}

/**
 * The prefix length of the flag for the family, else of the common flag, else the default. The common flag counts with
 * one range only.
 */
function nodePrefixOf(flags: NodeIpamFlags, { family }: IpRange, rangeCount: number): number {
  const familySize = flags[family === 4 ? 'node-cidr-mask-size-ipv4' : 'node-cidr-mask-size-ipv6'];
  const commonSize = rangeCount === 1 ? flags['node-cidr-mask-size'] : 0;
  return familySize || commonSize || DEFAULT_NODE_PREFIX[family];
}
