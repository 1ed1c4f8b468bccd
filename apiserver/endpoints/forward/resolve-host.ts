/**
 * Resolves host names within a time limit, with the system's resolver, as connections do. A name that does not resolve in
 * time has no addresses. Caches nothing.
 */
import { lookup } from 'node:dns/promises';
import type { Clock } from '../../../shared/runtime/clock';
import { withTimeout } from '../../../shared/runtime/with-timeout';
import type { ResolveHost } from '../../registry/operations/destination';

/** `timeoutMs` limits each lookup. */
export function createHostResolver(clock: Clock, timeoutMs: number): ResolveHost {
  return (name) => withTimeout(addressesOf(name), clock, timeoutMs, () => []);
}

async function addressesOf(name: string): Promise<readonly string[]> {
  try {
    const results = await lookup(name, { all: true });
    return results.map(({ address }) => address);
  } catch {
    return [];
  }
}
