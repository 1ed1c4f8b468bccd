import { formatIpRange } from '../../shared/values/network/ip-address';
import { loadBalancerSettings } from './settings';

const settingsOf = (addresses: readonly string[], isDefault = false): ReturnType<typeof loadBalancerSettings> =>
  loadBalancerSettings({ 'development-load-balancer-addresses': addresses, 'development-load-balancer-default-class': isDefault });

test('loadBalancerSettings returns the ranges and whether Services without a class are served', () => {
  const settings = settingsOf(['192.0.2.5/24', 'fd00::/108'], true);
  if (typeof settings !== 'object') throw new Error(settings);
  expect([settings.ranges.map(formatIpRange), settings.servesDefaultClass]).toEqual([['192.0.2.0/24', 'fd00::/108'], true]);
  expect(settingsOf([])).toBeUndefined();
});

test.each<[readonly string[], boolean, string]>([
  [['192.0.2.1'], false, '--development-load-balancer-addresses: invalid CIDR address: 192.0.2.1'],
  [['192.0.2.0/24', '198.51.100.0/24'], false, '--development-load-balancer-addresses: more than one range of IPv4'],
  [['fd00::/64'], false, '--development-load-balancer-addresses: fd00::/64 has more than 2^20 addresses'],
  [[], true, '--development-load-balancer-default-class needs --development-load-balancer-addresses'],
])('loadBalancerSettings rejects %j, default class %s: %s', (addresses, isDefault, message) =>
  expect(settingsOf(addresses, isDefault)).toBe(message),
);
