/** Whether what is asked for fits into a quota, in upstream's words; seen at release 1.31.1. Pure. */
import type { GroupResource } from '../../../shared/api/identity/identity';
import type { ResourceAmounts } from '../../../shared/quota/amounts';
import { parseCountedResource } from '../../../shared/quota/counted-resource';
import { isInQuotaScopes, quotaScopesOf, type QuotaScopes } from '../../../shared/quota/scopes';
import { quotaUsageOf } from '../../../shared/quota/usage';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { formatQuantity, parseQuantity, type Quantity } from '../../../shared/values/quantity';

const NONE: Quantity = { nanos: 0n, format: 'decimal' };

/** A limit of a quota on what one kind uses. */
interface Limit {
  /** As the quota spells it. */
  readonly name: string;
  /** As usage spells it. */
  readonly counted: string;
  readonly hard: Quantity;
}

export interface Quota {
  readonly name: string;
  readonly scopes: QuotaScopes;
  readonly limits: readonly Limit[];
}

/** What a ResourceQuota says of objects of a kind; undefined = nothing. */
export function quotaFor(kind: GroupResource, quota: JsonObject): Quota | undefined {
  const spec = objectAt(quota, 'spec') ?? {};
  const hard = objectAt(spec, 'hard') ?? {};
  const limits = Object.keys(hard)
    .sort()
    .flatMap((name): Limit[] => {
      const counted = parseCountedResource(name);
      const amount = stringAt(hard, name);
      if (counted === undefined || amount === undefined) return [];
      if (counted.kind.group !== kind.group || counted.kind.resource !== kind.resource) return [];
      return [{ name, counted: counted.name, hard: parseQuantity(amount) }];
    });
  return limits.length === 0 ? undefined : { name: stringAt(readMetadata(quota), 'name') ?? '', scopes: quotaScopesOf(spec), limits };
}

/** What a write adds to what its quota counts. */
export interface Charge {
  readonly limit: Limit;
  readonly requested: Quantity;
}

/** Undefined = the quota does not speak of the object, or nothing more is used. `now`: milliseconds since 1970. */
export function chargesOf(
  kind: GroupResource,
  { scopes, limits }: Quota,
  object: JsonObject,
  old: JsonObject | undefined,
  now: number,
): readonly Charge[] {
  if (!isInQuotaScopes(kind, object, scopes)) return [];
  const usage = quotaUsageOf(kind, object, now);
  const before = old === undefined || !isInQuotaScopes(kind, old, scopes) ? undefined : quotaUsageOf(kind, old, now);
  return limits.flatMap((limit) => {
    const [asked, had] = [usage.get(limit.counted), before?.get(limit.counted) ?? NONE];
    if (asked === undefined || asked.nanos <= had.nanos) return [];
    return [{ limit, requested: { nanos: asked.nanos - had.nanos, format: asked.format } }];
  });
}

/** `used` by the names of usage; undefined = it fits. */
export function excess(quota: Quota, charges: readonly Charge[], used: ResourceAmounts): string | undefined {
  const over = charges.filter(({ limit, requested }) => (used.get(limit.counted)?.nanos ?? 0n) + requested.nanos > limit.hard.nanos);
  if (over.length === 0) return undefined;
  const shown = (amountOf: (charge: Charge) => Quantity): string =>
    over.map((charge) => `${charge.limit.name}=${formatQuantity(amountOf(charge))}`).join(',');
  const requested = shown(({ requested: amount }) => amount);
  const present = shown(({ limit }) => used.get(limit.counted) ?? NONE);
  return `exceeded quota: ${quota.name}, requested: ${requested}, used: ${present}, limited: ${shown(({ limit }) => limit.hard)}`;
}

/** What every container has to say where a quota limits it, and where it is said. */
const TO_BE_SAID: ReadonlyMap<string, readonly ['requests' | 'limits', string]> = new Map([
  ['cpu', ['requests', 'cpu']],
  ['memory', ['requests', 'memory']],
  ['requests.cpu', ['requests', 'cpu']],
  ['requests.memory', ['requests', 'memory']],
  ['limits.cpu', ['limits', 'cpu']],
  ['limits.memory', ['limits', 'memory']],
]);

/** What a new pod leaves unsaid that the quota limits; undefined = nothing. */
export function unsaid(kind: GroupResource, quota: Quota, pod: JsonObject): string | undefined {
  if (kind.group !== '' || kind.resource !== 'pods' || !isInQuotaScopes(kind, pod, quota.scopes)) return undefined;
  const spec = objectAt(pod, 'spec');
  const containers = [...(arrayAt(spec, 'containers') ?? []), ...(arrayAt(spec, 'initContainers') ?? [])].filter(isObject);
  const missing = quota.limits.flatMap(({ name }) => {
    const said = TO_BE_SAID.get(name);
    if (said === undefined) return [];
    const [part, resource] = said;
    const silent = containers.filter((container) => stringAt(objectAt(objectAt(container, 'resources'), part), resource) === undefined);
    return silent.length === 0
      ? []
      : [
          `${name} for: ${silent
            .map((container) => stringAt(container, 'name') ?? '')
            .sort()
            .join(',')}`,
        ];
  });
  return missing.length === 0 ? undefined : `failed quota: ${quota.name}: must specify ${missing.join('; ')}`;
}
