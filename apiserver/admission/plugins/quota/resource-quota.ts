/**
 * ResourceQuota: rejects writes that would exceed a quota of their namespace. Usage is counted from this replica's
 * cache, which must contain every write that raised the usage; the guard of the namespace (quota-guards.ts) ensures
 * that. Quotas are not compared with writes that add no usage.
 */
import type { GroupResource } from '../../../../shared/api/identity/identity';
import { forbidden, timeout, type StatusError } from '../../../../shared/api/errors/status';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { addAmounts, type ResourceAmounts } from '../../../../shared/quota/amounts';
import { isInQuotaScopes, type QuotaScopes } from '../../../../shared/quota/scopes';
import { quotaUsageOf, quotaReleasedAt } from '../../../../shared/quota/usage';
import type { Clock } from '../../../../shared/runtime/clock';
import type { JsonObject } from '../../../../shared/values/json';
import type { Quantity } from '../../../../shared/values/quantity';
import type { Cache, Entry, StoredType } from '../../../cache/cache';
import { TimeSlice } from '../../../../shared/scheduling/yielding';
import type { AdmissionTarget, AdmissionRequest, Reservation, ReservingPlugin } from '../../../registry/admission';
import { parseEntry } from '../../../registry/object/stored-object';
import { usageDeltas, exceededMessage, quotaFor, unspecifiedMessage, type CountedWrite, type UsageDelta, type Quota } from './usage-delta';
import { isLimitedResource, uncoveredMessage, type LimitedResource } from './limited-resources';
import type { QuotaGuards } from './quota-guards';

/** Where quotas and usage are read from, and what serializes the writes that raise usage. */
export interface ResourceQuotaDependencies {
  readonly cache: Pick<Cache, 'snapshot' | 'waitForRevision'>;
  readonly quotas: StoredType;
  readonly guards: QuotaGuards;
  readonly clock: Clock;
  /** Resources that require a covering quota; absent = none. */
  readonly limitedResources?: readonly LimitedResource[] | undefined;
}

/** Resources of the core group with usage that an update can raise. The usage of other objects is fixed at creation. */
const CHECKED_ON_UPDATE: ReadonlySet<string> = new Set(['services', 'persistentvolumeclaims']);

/** Creates the plug-in. It checks `limitedResources` first, then the quotas in order of name. */
export function resourceQuota(deps: ResourceQuotaDependencies): ReservingPlugin {
  const counter = new UsageCounter(deps);
  const isHandled = ({ operation, resource: { row }, subresource, namespace }: AdmissionTarget): boolean =>
    subresource === undefined &&
    namespace !== '' &&
    (operation === 'CREATE' || (row.group === '' && CHECKED_ON_UPDATE.has(row.resource))) &&
    (isLimitedResource(deps.limitedResources ?? [], row) || quotasIn(deps, namespace, row).length > 0);
  return {
    name: 'ResourceQuota',
    handles: (operation) => operation !== 'DELETE',
    inspectsObject: isHandled,
    reserve: (request) => (isHandled(request) ? reserve(deps, counter, request) : undefined),
  };
}

/** The quotas of the namespace that limit objects of the kind, in order of name. */
function quotasIn({ cache, quotas }: ResourceQuotaDependencies, namespace: string, kind: GroupResource): readonly Quota[] {
  const snapshot = cache.snapshot(quotas);
  if (snapshot.size === 0) return [];
  // Keys are `NAMESPACE/NAME`, and `0` is the character after `/`.
  return [...snapshot.range(`${namespace}/`, `${namespace}0`)].flatMap((entry) => quotaFor(kind, parseEntry(entry).object) ?? []);
}

/** A quota, and the usage that a write adds to it. */
interface QuotaDeltas {
  readonly quota: Quota;
  readonly deltas: readonly UsageDelta[];
}

/** Rejects when a quota would be exceeded. Resolves with the guard of the write; `undefined` when it adds no usage. */
async function reserve(
  deps: ResourceQuotaDependencies,
  counter: UsageCounter,
  request: AdmissionRequest,
): Promise<Reservation | undefined> {
  const { resource, namespace, object, oldObject, dryRun } = request;
  const { row, stored } = resource;
  if (object === undefined || stored === undefined) return undefined;
  const write: CountedWrite = { kind: row, object, old: oldObject, now: deps.clock.now() };
  const increased = findIncreasedQuotas(deps, request, write);
  if (increased.length === 0) return undefined;
  const guard = await deps.guards.acquire(namespace);
  try {
    if (!(await deps.cache.waitForRevision(guard.revision, { deadline: request.deadline })))
      throw timeout('the usage of quotas is not known in time');
    for (const { quota, deltas } of increased) {
      const text = exceededMessage(quota, deltas, await counter.countUsage({ kind: row, stored, namespace, now: write.now }, quota));
      if (text !== undefined) throw rejection(request, text);
    }
  } catch (error) {
    guard.release();
    throw error;
  }
  // A dry run has no transaction that the guard would have to protect.
  if (dryRun) guard.release();
  return { writes: dryRun ? [] : [guard.write()], complete: guard.release };
}

/** The quotas to which the write adds usage. Throws for a rejection that does not depend on the usage of other objects. */
function findIncreasedQuotas(deps: ResourceQuotaDependencies, request: AdmissionRequest, write: CountedWrite): readonly QuotaDeltas[] {
  const { kind, object } = write;
  const quotas = quotasIn(deps, request.namespace, kind);
  const uncovered = uncoveredMessage(deps.limitedResources ?? [], quotas, write);
  if (uncovered !== undefined) throw rejection(request, uncovered);
  const increased: QuotaDeltas[] = [];
  for (const quota of quotas) {
    const unspecified = request.operation === 'CREATE' ? unspecifiedMessage(kind, quota, object) : undefined;
    if (unspecified !== undefined) throw rejection(request, unspecified);
    const deltas = usageDeltas(quota, write);
    if (deltas.length > 0) increased.push({ quota, deltas });
  }
  return increased;
}

/** Names the object as its metadata do: a generated name is set there before quota is reserved. */
function rejection({ resource: { row }, name, object }: AdmissionRequest, text: string): StatusError {
  return forbidden({ group: row.group, resource: row.resource }, readMetadata(object ?? {}).name ?? name, text);
}

/** The usage of one entry. */
interface EntryUsage {
  readonly amounts: ResourceAmounts;
  /** `undefined` unless it is needed to determine whether a quota covers the object. */
  readonly object: JsonObject | undefined;
}

/** The objects of one kind in one namespace. */
interface CountedObjects {
  readonly kind: GroupResource;
  readonly stored: StoredType;
  readonly namespace: string;
  /** Milliseconds since 1970, the same for all objects. */
  readonly now: number;
}

/**
 * Counts the usage of a namespace. For quotas without scopes the usage of an entry is computed once, because entries
 * are immutable. The usage of a terminating pod depends on the time and is computed again for each count.
 */
class UsageCounter {
  private readonly usageByEntry = new WeakMap<Entry, EntryUsage>();

  constructor(private readonly deps: Pick<ResourceQuotaDependencies, 'cache' | 'clock'>) {}

  /** The usage of the objects that the quota covers. */
  async countUsage({ kind, stored, namespace, now }: CountedObjects, { scopes }: Quota): Promise<ResourceAmounts> {
    const total = new Map<string, Quantity>();
    const slice = new TimeSlice(this.deps.clock, { stepsPerCheck: 1 });
    // All objects are counted from one snapshot, however long that takes.
    const snapshot = this.deps.cache.snapshot(stored);
    for (const entry of snapshot.range(`${namespace}/`, `${namespace}0`)) {
      const { amounts, object } = this.usageOfEntry(kind, entry, scopes, now);
      if (object === undefined || isInQuotaScopes(kind, object, scopes)) addAmounts(total, amounts);
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    return total;
  }

  /** The usage of one entry, from the cache if possible. */
  private usageOfEntry(kind: GroupResource, entry: Entry, scopes: QuotaScopes, now: number): EntryUsage {
    // Whether an object is in the scopes depends on fields that the usage does not contain.
    const needsObject = scopes.length > 0;
    const cached = this.usageByEntry.get(entry);
    if (cached !== undefined && !needsObject) return cached;
    const { object } = parseEntry(entry);
    const usage: EntryUsage = { amounts: quotaUsageOf(kind, object, now), object: needsObject ? object : undefined };
    // `quotaReleasedAt` is the time at which a terminating pod stops counting.
    if (!needsObject && quotaReleasedAt(kind, object) === undefined) this.usageByEntry.set(entry, usage);
    return usage;
  }
}
