import { formatIpRange } from '../../shared/values/network/ip-address';
import { nodeIpamSettings, type NodeIpamFlags } from './settings';

const settingsOf = (flags: Partial<NodeIpamFlags>): ReturnType<typeof nodeIpamSettings> =>
  nodeIpamSettings({
    'allocate-node-cidrs': true,
    'cluster-cidr': '10.0.0.0/16',
    'service-cluster-ip-range': '',
    'node-cidr-mask-size': 0,
    'node-cidr-mask-size-ipv4': 0,
    'node-cidr-mask-size-ipv6': 0,
    ...flags,
  });

test('nodeIpamSettings returns nothing without --allocate-node-cidrs', () => {
  expect(settingsOf({ 'allocate-node-cidrs': false, 'cluster-cidr': 'x' })).toBeUndefined();
});

test.each<[string, Partial<NodeIpamFlags>, readonly string[]]>([
  ['the default sizes of node CIDRs', { 'cluster-cidr': '10.0.0.0/16, fd00::/48' }, ['10.0.0.0/16 24', 'fd00::/48 64']],
  ['one size for a single-stack cluster', { 'node-cidr-mask-size': 26 }, ['10.0.0.0/16 26']],
  ['one size for a single-stack IPv6 cluster', { 'cluster-cidr': 'fd00::/48', 'node-cidr-mask-size': 60 }, ['fd00::/48 60']],
  [
    'a size for each family, in the order of the cluster CIDRs',
    { 'cluster-cidr': 'fd00::/56,10.0.0.0/16', 'node-cidr-mask-size-ipv4': 20, 'node-cidr-mask-size-ipv6': 72 },
    ['fd00::/56 72', '10.0.0.0/16 20'],
  ],
  ['an IPv4 cluster CIDR of 18 bits', { 'cluster-cidr': '10.0.0.0/6' }, ['8.0.0.0/6 24']],
])('nodeIpamSettings returns %s', (_, flags, expected) => {
  const settings = settingsOf(flags);
  const cidrs = typeof settings === 'object' ? settings.clusterCidrs : [];
  expect(cidrs.map(({ range, nodePrefix }) => `${formatIpRange(range)} ${nodePrefix}`)).toEqual(expected);
});

test('nodeIpamSettings returns the Service ranges', () => {
  const settings = settingsOf({ 'service-cluster-ip-range': '10.0.1.7/24' });
  expect(typeof settings === 'object' ? settings.serviceRanges.map(formatIpRange) : settings).toEqual(['10.0.1.0/24']);
});

test.each<[Partial<NodeIpamFlags>, string]>([
  [{ 'cluster-cidr': '' }, '--cluster-cidr must be set with --allocate-node-cidrs'],
  [{ 'cluster-cidr': 'foo' }, '--cluster-cidr: invalid CIDR address: foo'],
  [{ 'cluster-cidr': '10.0.0.0/16,fd00::/48,10.1.0.0/16' }, 'length of --cluster-cidr is: 3 more than max allowed of 2'],
  [{ 'cluster-cidr': '10.0.0.0/16,10.1.0.0/16' }, 'must be configured as dual stack'],
  [{ 'cluster-cidr': 'fd00::/47' }, 'the node CIDR size is too big'],
  [{ 'cluster-cidr': '10.0.0.0/3' }, 'the node CIDR size is too big'],
  [{ 'cluster-cidr': '10.0.0.0/25' }, 'mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size'],
  [{ 'node-cidr-mask-size': 33 }, 'an IPv4 address has no 33 bits'],
  [{ 'node-cidr-mask-size-ipv6': 64 }, 'usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster'],
  [
    { 'cluster-cidr': 'fd00::/48', 'node-cidr-mask-size-ipv4': 24 },
    'usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster',
  ],
  [{ 'node-cidr-mask-size': 24, 'node-cidr-mask-size-ipv4': 24 }, 'is not allowed if --node-cidr-mask-size is set'],
  [
    { 'cluster-cidr': '10.0.0.0/16,fd00::/48', 'node-cidr-mask-size': 24 },
    'usage of --node-cidr-mask-size is not allowed with dual-stack clusters',
  ],
  [{ 'service-cluster-ip-range': '10.96.0.0/16,10.97.0.0/16' }, 'must be configured as dual stack'],
])('nodeIpamSettings rejects %j: %s', (flags, message) => expect(settingsOf(flags)).toEqual(expect.stringContaining(message)));
