/**
 * Measures the cost of a Pod change in the cache while nodes watch their own Pods and the change concerns one of them.
 * Without HTTP, on an in-memory store.
 */
import { NO_CONVERSIONS } from '../../apiserver/registry/conversions';
import { createReader } from '../../apiserver/registry/read/reader';
import { selectionFor } from '../../apiserver/registry/read/selection';
import { buildResources } from '../../apiserver/registry/resources';
import { systemClock } from '../../shared/runtime/clock';
import { storedValue } from '../support/store/cache-fixture';
import { MemoryStore } from '../support/store/memory-store';
import { openTestCache } from '../support/store/test-cache';

/** Changes after which V8 has compiled what they run, and changes that are measured. */
const WARM_UP = 5000;
const ROUNDS = 20_000;

/** Microseconds of CPU time per change. */
export async function podChangeMicros(nodes: number): Promise<number> {
  const store = new MemoryStore();
  const pods = buildResources().require('pods');
  const cache = openTestCache({ store, types: [pods.stored], clock: systemClock });
  await cache.whenReady();
  const reader = createReader({ cache, store, clock: systemClock, gates: { isEnabled: () => false }, conversions: NO_CONVERSIONS });
  const context = { user: { name: 'bench', groups: [] }, deadline: Infinity, warn: (): void => undefined };
  let delivered = 0;
  const sink = { event: (): void => void (delivered += 1), bookmark: (): void => undefined, end: (): void => undefined };
  for (let node = 0; node < nodes; node += 1) {
    const selection = selectionFor(pods.row, '', `spec.nodeName=n-${node}`);
    await reader.watch(context, pods, '', { selection, bookmarks: false, resourceVersion: cache.revision }, sink);
  }
  const stored = storedValue({ fields: { 'spec.nodeName': 'n-0' }, data: 'x'.repeat(1000) });
  const change = (): void => void store.put(`/registry/${pods.stored.segment}/bench/p`, stored);
  for (let round = 0; round < WARM_UP; round += 1) change();
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) change();
  const { user, system } = process.cpuUsage(before);
  await cache.close();
  if (delivered !== WARM_UP + ROUNDS) throw new Error(`${delivered} events were delivered`);
  return (user + system) / ROUNDS;
}
