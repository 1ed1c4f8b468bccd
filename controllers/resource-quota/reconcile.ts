/** What a quota's status is to say; decided from what is seen, without a server. Seen at release 1.31.1. */
import type { GroupResource } from '../../shared/api/identity/identity';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { addAmounts } from '../../shared/quota/amounts';
import { parseCountedResource, type CountedResource } from '../../shared/quota/counted-resource';
import { isInQuotaScopes, quotaScopesOf } from '../../shared/quota/scopes';
import { quotaUsageOf, quotaReleasedAt } from '../../shared/quota/usage';
import { objectAt, setMember, stringAt, type JsonObject } from '../../shared/values/json';
import type { Steps } from '../../shared/scheduling/steps';
import { compareQuantities, formatQuantity, type Quantity } from '../../shared/values/quantity';

/** The objects of a kind in the quota's namespace; undefined = the kind is not served. */
export type ObjectsOf = (kind: GroupResource) => Iterable<ApiObject> | undefined;

export interface QuotaOutcome {
  /** Undefined = it says so already. */
  readonly status: JsonObject | undefined;
  /** Look again after so long: time alone changes the usage then. Milliseconds. */
  readonly againMs: number | undefined;
}

/** What counts against each resource that a quota limits, by the name that the quota gives it. */
export function limitedBy(quota: ApiObject): ReadonlyMap<string, CountedResource> {
  const hard = objectAt(objectAt(quota.body, 'spec'), 'hard') ?? {};
  return new Map(
    Object.keys(hard).flatMap((name) => {
      const counted = parseCountedResource(name);
      return counted === undefined ? [] : [[name, counted]];
    }),
  );
}

/** A namespace may hold any number of objects: a step for each. */
export function* quotaOutcome(quota: ApiObject, objectsOf: ObjectsOf, now: number): Steps<QuotaOutcome> {
  const spec = objectAt(quota.body, 'spec') ?? {};
  const scopes = quotaScopesOf(spec);
  const limited = limitedBy(quota);
  const total = new Map<string, Quantity>();
  const known = new Set<string>();
  let againMs: number | undefined;
  for (const kind of kindsOf(limited.values())) {
    const objects = objectsOf(kind);
    if (objects === undefined) continue;
    known.add(keyOfKind(kind));
    for (const { body } of objects) {
      yield;
      if (!isInQuotaScopes(kind, body, scopes)) continue;
      addAmounts(total, quotaUsageOf(kind, body, now));
      const until = quotaReleasedAt(kind, body);
      if (until !== undefined && until >= now) againMs = Math.min(againMs ?? Number.POSITIVE_INFINITY, until - now + 1);
    }
  }
  const used: JsonObject = {};
  for (const [name, counted] of limited) {
    if (!known.has(keyOfKind(counted.kind))) continue;
    const amount = total.get(counted.name);
    setMember(used, name, amount === undefined ? '0' : formatQuantity(amount));
  }
  const hard = objectAt(spec, 'hard') ?? {};
  const status = objectAt(quota.body, 'status') ?? {};
  const isSaid = sameAmounts(objectAt(status, 'hard'), hard) && sameAmounts(objectAt(status, 'used'), used);
  return { status: isSaid ? undefined : { hard, used }, againMs };
}

const keyOfKind = ({ group, resource }: GroupResource): string => `${resource}.${group}`;

function kindsOf(counted: Iterable<CountedResource>): readonly GroupResource[] {
  return [...new Map([...counted].map(({ kind }) => [keyOfKind(kind), kind])).values()];
}

/** Whether they say the same, in whatever spelling. */
function sameAmounts(a: JsonObject | undefined, b: JsonObject): boolean {
  const names = Object.keys(b);
  if (Object.keys(a ?? {}).length !== names.length) return false;
  return names.every((name) => {
    const [one, other] = [stringAt(a, name), stringAt(b, name)];
    return one !== undefined && other !== undefined && (one === other || compareQuantities(one, other) === 0);
  });
}
