/**
 * Writes the allocation keys that stored Services lack: those made by a build that did not know of such keys. Looks once, when a replica starts; what
 * this build stores never lacks any.
 */
import type { Clock } from '../../shared/runtime/clock';
import { auditAllocations, type Holder } from '../allocation/audit';
import type { Ledger } from '../allocation/ledger';
import type { Cache } from '../cache/cache';
import type { Store } from '../storage/store';
import type { Resource } from '../registry/verbs';
import { serviceAllocation } from '../kinds/core/service/allocation';
import { ownerOf } from '../registry/write/allocation';
import { parseEntry } from '../registry/object/stored-object';

const CALL_MS = 10_000;

export interface AllocationRepairOptions {
  readonly store: Store;
  readonly cache: Cache;
  readonly ledger: Ledger;
  readonly services: Resource;
  /** The store's key prefix, without a slash at its end. */
  readonly prefix: string;
  readonly clock: Clock;
  /** Told of what cannot be repaired, and of how much was. */
  readonly found: (message: string, details: Readonly<Record<string, unknown>>) => void;
}

export async function repairAllocations(options: AllocationRepairOptions): Promise<void> {
  const { store, cache, ledger, services, prefix, clock, found } = options;
  let repaired = 0;
  for (const finding of auditAllocations(serviceHolders(cache, services), ledger.all())) {
    if (finding.type !== 'missing') {
      found('an allocation is not in order', { ...finding });
      continue;
    }
    const { owner, id, revision } = finding;
    const key = ledger.keyOf(id);
    const objectKey = `${prefix}/${services.stored.segment}/${owner.namespace}/${owner.name}`;
    const result = await store.transact(
      {
        compare: [
          { key: objectKey, modRevision: revision },
          { key, modRevision: 0 },
        ],
        operations: [{ type: 'put', key, value: Buffer.from(JSON.stringify(owner)) }],
      },
      { deadline: clock.monotonic() + CALL_MS },
    );
    if (!result.committed) continue;
    repaired += 1;
    ledger.learn(id, { revision: result.revision, uid: owner.uid }, result.revision);
  }
  if (repaired > 0) found('allocation keys of earlier Services were written', { repaired });
}

export function* serviceHolders(cache: Pick<Cache, 'snapshot'>, services: Resource): Iterable<Holder> {
  for (const entry of cache.snapshot(services.stored).range()) {
    const { object } = parseEntry(entry);
    yield { owner: ownerOf(object), revision: entry.revision, ids: [...serviceAllocation.held(object).keys()] };
  }
}
