import { formatIpRange } from '../../shared/values/network/ip-address';
import { loadBalancerSettings } from './settings';

const settingsOf = (addresses: readonly string[]): ReturnType<typeof loadBalancerSettings> =>
  loadBalancerSettings({ 'development-load-balancer-addresses': addresses, 'development-load-balancer-default-class': false });

const settingsWithDefaultClass = (addresses: readonly string[]): ReturnType<typeof loadBalancerSettings> =>
  loadBalancerSettings({ 'development-load-balancer-addresses': addresses, 'development-load-balancer-default-class': true });

test('loadBalancerSettings returns the ranges and whether Services without a class are served', () => {
  const settings = settingsWithDefaultClass(['192.0.2.5/24', 'fd00::/108']);
  if (typeof settings !== 'object') throw new Error(settings);
  expect(settings.ranges.map(formatIpRange)).toEqual(['192.0.2.0/24', 'fd00::/108']);
  expect(settings.servesDefaultClass).toBe(true);
  expect(settingsOf([])).toBeUndefined();
});

test.each<[readonly string[], string]>([
  [['192.0.2.1'], '--development-load-balancer-addresses: invalid CIDR address: 192.0.2.1'],
  [['192.0.2.0/24', '198.51.100.0/24'], '--development-load-balancer-addresses: more than one range of IPv4'],
  [['fd00::/64'], '--development-load-balancer-addresses: fd00::/64 has more than 2^20 addresses'],
])('loadBalancerSettings rejects the addresses %j: %s', (addresses, message) => expect(settingsOf(addresses)).toBe(message));

test('loadBalancerSettings rejects the default class without addresses', () => {
  const message = '--development-load-balancer-default-class needs --development-load-balancer-addresses';
  expect(settingsWithDefaultClass([])).toBe(message);
});
