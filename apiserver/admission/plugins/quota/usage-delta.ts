/**
 * Compares the usage that a write adds with a ResourceQuota. Messages are those of upstream 1.31.1. Pure functions: the
 * usage of the other objects is counted by resource-quota.ts.
 */
import type { GroupResource } from '../../../../shared/api/identity/identity';
import type { ResourceAmounts } from '../../../../shared/quota/amounts';
import { parseCountedResource } from '../../../../shared/quota/counted-resource';
import { isInQuotaScopes, quotaScopesOf, type QuotaScopes } from '../../../../shared/quota/scopes';
import { quotaUsageOf } from '../../../../shared/quota/usage';
import type { CoreV1Pod, CoreV1ResourceQuota } from '../../../../shared/api/types/generated/members';
import { ownMember, type JsonObject } from '../../../../shared/values/json';
import { formatQuantity, parseQuantity, type Quantity } from '../../../../shared/values/quantity';

const ZERO: Quantity = { nanos: 0n, format: 'decimal' };

/** A hard limit of a quota on one kind. */
interface Limit {
  /** The resource name in the spelling of the quota, for messages. */
  readonly name: string;
  /** The resource name in canonical spelling, which is the key of usage. */
  readonly counted: string;
  readonly hard: Quantity;
}

/** The part of a ResourceQuota that limits one kind. */
export interface Quota {
  readonly name: string;
  readonly scopes: QuotaScopes;
  readonly limits: readonly Limit[];
}

/** The part of a ResourceQuota that limits objects of a kind; `undefined` when it limits none. */
export function quotaFor(kind: GroupResource, { metadata, spec = {} }: CoreV1ResourceQuota): Quota | undefined {
  const { hard = {} } = spec;
  const limits: Limit[] = [];
  for (const name of Object.keys(hard).sort()) {
    const counted = parseCountedResource(name);
    const amount = hard[name];
    if (counted === undefined || amount === undefined) continue;
    const isOfKind = counted.kind.group === kind.group && counted.kind.resource === kind.resource;
    if (isOfKind) limits.push({ name, counted: counted.name, hard: parseQuantity(amount) });
  }
  return limits.length === 0 ? undefined : { name: metadata?.name ?? '', scopes: quotaScopesOf(spec), limits };
}

/** Usage that a write adds to a resource that a quota limits. */
export interface UsageDelta {
  readonly limit: Limit;
  readonly requested: Quantity;
}

/** A write with the usage that it adds. */
export interface CountedWrite {
  readonly kind: GroupResource;
  readonly object: JsonObject;
  /** `undefined` for a new object. */
  readonly old: JsonObject | undefined;
  /** Milliseconds since 1970; the usage of terminating pods depends on it. */
  readonly now: number;
}

/**
 * The usage that the write adds to the resources that the quota limits. Empty when the quota does not cover the object
 * or the write adds no usage.
 */
export function usageDeltas({ scopes, limits }: Quota, { kind, object, old, now }: CountedWrite): readonly UsageDelta[] {
  if (!isInQuotaScopes(kind, object, scopes)) return [];
  const usage = quotaUsageOf(kind, object, now);
  const before = old === undefined || !isInQuotaScopes(kind, old, scopes) ? undefined : quotaUsageOf(kind, old, now);
  return limits.flatMap((limit) => {
    const usageNow = usage.get(limit.counted);
    const usageBefore = before?.get(limit.counted) ?? ZERO;
    if (usageNow === undefined || usageNow.nanos <= usageBefore.nanos) return [];
    return [{ limit, requested: { nanos: usageNow.nanos - usageBefore.nanos, format: usageNow.format } }];
  });
}

/** The rejection when the quota is exceeded, else `undefined`. `used`: the usage without this write, by canonical name. */
export function exceededMessage(quota: Quota, deltas: readonly UsageDelta[], used: ResourceAmounts): string | undefined {
  const exceeded = deltas.filter(({ limit, requested }) => (used.get(limit.counted)?.nanos ?? 0n) + requested.nanos > limit.hard.nanos);
  if (exceeded.length === 0) return undefined;
  /** `pods=1,requests.cpu=500m` */
  const listText = (amountOf: (delta: UsageDelta) => Quantity): string =>
    exceeded.map((delta) => `${delta.limit.name}=${formatQuantity(amountOf(delta))}`).join(',');
  const requestedText = listText(({ requested: amount }) => amount);
  const usedText = listText(({ limit }) => used.get(limit.counted) ?? ZERO);
  return `exceeded quota: ${quota.name}, requested: ${requestedText}, used: ${usedText}, limited: ${listText(({ limit }) => limit.hard)}`;
}

/** A member of a container's resources. */
interface RequiredMember {
  readonly list: 'requests' | 'limits';
  readonly resource: string;
}

/** By limited resource, the member that every container must set. Quotas of other resources require nothing. */
const REQUIRED_MEMBERS: ReadonlyMap<string, RequiredMember> = new Map([
  ['cpu', { list: 'requests', resource: 'cpu' }],
  ['memory', { list: 'requests', resource: 'memory' }],
  ['requests.cpu', { list: 'requests', resource: 'cpu' }],
  ['requests.memory', { list: 'requests', resource: 'memory' }],
  ['limits.cpu', { list: 'limits', resource: 'cpu' }],
  ['limits.memory', { list: 'limits', resource: 'memory' }],
]);

/** The rejection when a new pod omits requests or limits that the quota requires, else `undefined`. */
export function unspecifiedMessage(kind: GroupResource, quota: Quota, pod: CoreV1Pod): string | undefined {
  if (kind.group !== '' || kind.resource !== 'pods' || !isInQuotaScopes(kind, pod, quota.scopes)) return undefined;
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  const missing = quota.limits.flatMap(({ name }) => {
    const required = REQUIRED_MEMBERS.get(name);
    if (required === undefined) return [];
    const { list, resource } = required;
    const unspecified = containers.filter(({ resources }) => ownMember(resources?.[list] ?? {}, resource) === undefined);
    const containerNames = unspecified.map((container) => container.name ?? '').sort();
    return containerNames.length === 0 ? [] : [`${name} for: ${containerNames.join(',')}`];
  });
  return missing.length === 0 ? undefined : `failed quota: ${quota.name}: must specify ${missing.join('; ')}`;
}
