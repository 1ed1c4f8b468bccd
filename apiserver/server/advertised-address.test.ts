/** The address that a server is advertised under, by what it listens on and the interfaces of its machine. */
import type { networkInterfaces } from 'node:os';
import { advertisedAddress } from './advertised-address';

type InterfaceAddress = NonNullable<ReturnType<typeof networkInterfaces>[string]>[number];

const address = (text: string): InterfaceAddress =>
  text.includes(':')
    ? { address: text, family: 'IPv6', internal: false, netmask: '', mac: '', cidr: null, scopeid: 0 }
    : { address: text, family: 'IPv4', internal: false, netmask: '', mac: '', cidr: null };

const loopback = (text: string): InterfaceAddress => ({ ...address(text), internal: true });

const machine = {
  lo: [loopback('127.0.0.1'), loopback('::1')],
  eth0: [address('fe80::1'), address('fd00::5'), address('192.0.2.7')],
};

it.each([
  ['192.0.2.9', '192.0.2.9'],
  ['fd00::9', 'fd00::9'],
  ['0.0.0.0', '192.0.2.7'],
  ['::', '192.0.2.7'],
  ['127.0.0.1', '192.0.2.7'],
  ['localhost', '192.0.2.7'],
])('advertisedAddress of a server that listens on %s is %s', (bound, expected) => expect(advertisedAddress(bound, machine)).toBe(expected));

it('advertisedAddress is an IPv6 address when there is no IPv4 address, and undefined without a reachable address', () => {
  expect(advertisedAddress('::', { eth0: [address('fe80::1'), address('fd00::5')] })).toBe('fd00::5');
  expect(advertisedAddress('0.0.0.0', { lo: machine.lo })).toBeUndefined();
});
