/**
 * Nothing is created beyond a namespace's quotas, and no change uses more than they leave. What is used is counted from this replica's cache, which has to have seen
 * every write that raised it; the guard of the namespace sees to that. What uses less is never held back.
 */
import type { GroupResource } from '../../../shared/api/identity/identity';
import { forbidden, timeout, type StatusError } from '../../../shared/api/errors/status';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { addAmounts, type ResourceAmounts } from '../../../shared/quota/amounts';
import { isInQuotaScopes } from '../../../shared/quota/scopes';
import { quotaUsageOf, quotaReleasedAt } from '../../../shared/quota/usage';
import type { Clock } from '../../../shared/runtime/clock';
import { stringAt, type JsonObject } from '../../../shared/values/json';
import type { Quantity } from '../../../shared/values/quantity';
import type { Cache, Entry, StoredType } from '../../cache/cache';
import { TimeSlice } from '../../../shared/scheduling/yielding';
import type { AdmissionTarget, AdmissionRequest, Reservation, ReservingPlugin } from '../../registry/admission';
import { parseEntry } from '../../registry/object/stored-object';
import { chargesOf, excess, quotaFor, unsaid, type Charge, type Quota } from './charge';
import { isLimited, uncovered, type LimitedResource } from './limited';
import type { QuotaGuards } from './guards';

export interface ResourceQuotaParts {
  readonly cache: Pick<Cache, 'snapshot' | 'waitForRevision'>;
  readonly quotas: StoredType;
  readonly guards: QuotaGuards;
  readonly clock: Clock;
  /** What takes a quota to be used at all; absent = nothing. */
  readonly limited?: readonly LimitedResource[] | undefined;
}

/** What a change may use more of than before; of all others a quota counts how many there are. */
const CHANGING: ReadonlySet<string> = new Set(['services', 'persistentvolumeclaims']);

export function resourceQuota(parts: ResourceQuotaParts): ReservingPlugin {
  const counter = new UsageCounter(parts);
  const isMeant = ({ operation, resource: { row }, subresource, namespace }: AdmissionTarget): boolean =>
    subresource === undefined &&
    namespace !== '' &&
    (operation === 'CREATE' || (row.group === '' && CHANGING.has(row.resource))) &&
    (isLimited(parts.limited ?? [], row) || quotasIn(parts, namespace, row).length > 0);
  return {
    name: 'ResourceQuota',
    handles: (operation) => operation !== 'DELETE',
    inspectsObject: isMeant,
    reserve: (request) => (isMeant(request) ? reserve(parts, counter, request) : undefined),
  };
}

function quotasIn({ cache, quotas }: ResourceQuotaParts, namespace: string, kind: GroupResource): readonly Quota[] {
  const snapshot = cache.snapshot(quotas);
  if (snapshot.size === 0) return [];
  return [...snapshot.range(`${namespace}/`, `${namespace}0`)].flatMap((entry) => quotaFor(kind, parseEntry(entry).object) ?? []);
}

interface Charged {
  readonly quota: Quota;
  readonly charges: readonly Charge[];
}

async function reserve(parts: ResourceQuotaParts, counter: UsageCounter, request: AdmissionRequest): Promise<Reservation | undefined> {
  const { operation, resource, namespace, object, oldObject, dryRun, deadline } = request;
  const { row, stored } = resource;
  if (object === undefined || stored === undefined) return undefined;
  const charged: Charged[] = [];
  const now = parts.clock.now();
  const quotas = quotasIn(parts, namespace, row);
  const missing = uncovered(parts.limited ?? [], row, quotas, [object, oldObject], now);
  if (missing !== undefined) throw refusal(request, missing);
  for (const quota of quotas) {
    const silent = operation === 'CREATE' ? unsaid(row, quota, object) : undefined;
    if (silent !== undefined) throw refusal(request, silent);
    const charges = chargesOf(row, quota, object, oldObject, now);
    if (charges.length > 0) charged.push({ quota, charges });
  }
  if (charged.length === 0) return undefined;
  const guard = await parts.guards.hold(namespace);
  try {
    if (!(await parts.cache.waitForRevision(guard.revision, { deadline }))) throw timeout('the usage of quotas is not known in time');
    for (const { quota, charges } of charged) {
      const text = excess(quota, charges, await counter.used(row, stored, namespace, quota, now));
      if (text !== undefined) throw refusal(request, text);
    }
  } catch (error) {
    guard.release();
    throw error;
  }
  if (dryRun) guard.release();
  return { writes: dryRun ? [] : [guard.write()], complete: guard.release };
}

/** A generated name is in the object by now. */
function refusal({ resource: { row }, name, object }: AdmissionRequest, text: string): StatusError {
  return forbidden({ group: row.group, resource: row.resource }, stringAt(readMetadata(object ?? {}), 'name') ?? name, text);
}

/** What one object counts for. */
interface Known {
  readonly amounts: ResourceAmounts;
  readonly object: JsonObject | undefined;
}

/** Counts what there is. What an object uses is worked out once: entries never change. */
class UsageCounter {
  private readonly known = new WeakMap<Entry, Known>();

  constructor(private readonly parts: Pick<ResourceQuotaParts, 'cache' | 'clock'>) {}

  async used(kind: GroupResource, stored: StoredType, namespace: string, { scopes }: Quota, now: number): Promise<ResourceAmounts> {
    const total = new Map<string, Quantity>();
    const slice = new TimeSlice(this.parts.clock, { stepsPerCheck: 1 });
    // One state, however long it takes.
    const snapshot = this.parts.cache.snapshot(stored);
    for (const entry of snapshot.range(`${namespace}/`, `${namespace}0`)) {
      const { amounts, object } = this.of(kind, entry, scopes.length > 0, now);
      if (object === undefined || isInQuotaScopes(kind, object, scopes)) addAmounts(total, amounts);
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    return total;
  }

  private of(kind: GroupResource, entry: Entry, needsObject: boolean, now: number): Known {
    const known = this.known.get(entry);
    if (known !== undefined && !needsObject) return known;
    const { object } = parseEntry(entry);
    const found: Known = { amounts: quotaUsageOf(kind, object, now), object: needsObject ? object : undefined };
    // Time alone ends what a pod uses that is going.
    if (!needsObject && quotaReleasedAt(kind, object) === undefined) this.known.set(entry, found);
    return found;
  }
}
