/**
 * Determines the address under which other machines reach this server when the operator sets none. Reads the network
 * interfaces of this machine; contacts no other.
 */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * The bind address; when that is a wildcard, a loopback address or a host name, the first address of the machine that
 * others can reach (IPv4 before IPv6). `undefined` when there is none.
 */
export function advertisedAddress(
  bindAddress: string,
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): string | undefined {
  const isSpecific = isIP(bindAddress) !== 0 && !['0.0.0.0', '::', '::1'].includes(bindAddress) && !bindAddress.startsWith('127.');
  if (isSpecific) return bindAddress;
  const isLinkLocal = (address: string): boolean => address.toLowerCase().startsWith('fe80:');
  const reachable = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !isLinkLocal(address));
  return (reachable.find(({ family }) => family === 'IPv4') ?? reachable[0])?.address;
}
