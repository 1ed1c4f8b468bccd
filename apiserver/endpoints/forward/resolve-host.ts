/** Resolves host names with the system's resolver, which connections use too, within a time limit. Caches nothing. */
import { lookup } from 'node:dns/promises';
import type { Clock } from '../../../shared/runtime/clock';
import { inTime } from '../../../shared/runtime/in-time';
import type { ResolveHost } from '../../registry/operations/destination';

export function hostResolver(clock: Clock, timeoutMs: number): ResolveHost {
  return (name) => inTime(addressesOf(name), clock, timeoutMs, () => []);
}

async function addressesOf(name: string): Promise<readonly string[]> {
  try {
    const found = await lookup(name, { all: true });
    return found.map(({ address }) => address);
  } catch {
    return [];
  }
}
