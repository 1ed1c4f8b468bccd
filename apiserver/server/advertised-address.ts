/** The address under which other machines reach this server, when the operator names none. */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * The address that the server listens on; where that is all of them or a loopback address, the machine's first one that others can reach (IPv4 before
 * IPv6). Undefined when there is none.
 */
export function advertisedAddress(
  bindAddress: string,
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): string | undefined {
  const bound = isIP(bindAddress) !== 0 && !['0.0.0.0', '::', '::1'].includes(bindAddress) && !bindAddress.startsWith('127.');
  if (bound) return bindAddress;
  const reachable = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !address.toLowerCase().startsWith('fe80:'));
  return (reachable.find(({ family }) => family === 'IPv4') ?? reachable[0])?.address;
}
