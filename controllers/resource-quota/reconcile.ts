/**
 * Computes the status of a ResourceQuota from the objects in its namespace. Usage, order and messages are those of
 * upstream 1.31.1. The functions are pure. What one object uses is computed in shared/quota; refusing requests is left
 * to the admission plug-in.
 */
import type { CoreV1ResourceQuota, CoreV1ResourceQuotaStatus, MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import type { GroupResource } from '../../shared/api/identity/identity';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { addAmounts } from '../../shared/quota/amounts';
import { parseCountedResource, type CountedResource } from '../../shared/quota/counted-resource';
import { isInQuotaScopes, quotaScopesOf } from '../../shared/quota/scopes';
import { quotaUsageOf, quotaReleasedAt } from '../../shared/quota/usage';
import { ownMember, setMember, type JsonObject } from '../../shared/values/json';
import type { Steps } from '../../shared/scheduling/steps';
import { compareQuantities, formatQuantity, type Quantity } from '../../shared/values/quantity';

export type ResourceQuota = ApiObject<CoreV1ResourceQuota>;

/**
 * The members that the usage of objects of any kind depends on. Objects held as metadata have no spec and no status.
 */
export type CountedBody = {
  metadata?: MetaV1ObjectMeta;
  spec?: JsonObject;
  status?: { phase?: string };
};

/** The objects of a resource in the quota's namespace; undefined when the resource is not served. */
export type ListObjects = (resource: GroupResource) => Iterable<ApiObject<CountedBody>> | undefined;

/** What one sync writes, and when the next one is due. */
export interface QuotaActions {
  /** Undefined when the status is up to date. */
  readonly status: CoreV1ResourceQuotaStatus | undefined;
  /** Milliseconds until time alone changes the usage; undefined when it does not. */
  readonly requeueAfterMs: number | undefined;
}

/** The limits of a quota that this controller can compute the usage of, by their names in `spec.hard`. */
export function countedLimits({ body }: ResourceQuota): ReadonlyMap<string, CountedResource> {
  return new Map(
    Object.keys(body.spec?.hard ?? {}).flatMap((name) => {
      const counted = parseCountedResource(name);
      return counted === undefined ? [] : [[name, counted]];
    }),
  );
}

/**
 * Yields after each object, because a namespace may hold any number of objects. Resources that are not served have no
 * usage in the status. `now`: milliseconds since 1970.
 */
export function* reconcileQuota(quota: ResourceQuota, listObjects: ListObjects, now: number): Steps<QuotaActions> {
  const { spec = {}, status = {} } = quota.body;
  const scopes = quotaScopesOf(spec);
  const limits = countedLimits(quota);
  const usage = new Map<string, Quantity>();
  const servedKeys = new Set<string>();
  let requeueAfterMs: number | undefined;
  for (const resource of countedResources(limits.values())) {
    const objects = listObjects(resource);
    if (objects === undefined) continue;
    servedKeys.add(resourceKeyOf(resource));
    for (const { body } of objects) {
      yield;
      if (!isInQuotaScopes(resource, body, scopes)) continue;
      addAmounts(usage, quotaUsageOf(resource, body, now));
      // The object counts until this time, included.
      const until = quotaReleasedAt(resource, body);
      if (until !== undefined && until >= now) requeueAfterMs = Math.min(requeueAfterMs ?? Number.POSITIVE_INFINITY, until - now + 1);
    }
  }
  const used: Record<string, string> = {};
  for (const [name, counted] of limits) {
    if (!servedKeys.has(resourceKeyOf(counted.kind))) continue;
    const quantity = usage.get(counted.name);
    setMember(used, name, quantity === undefined ? '0' : formatQuantity(quantity));
  }
  const { hard = {} } = spec;
  const isUpToDate = haveEqualQuantities(status.hard, hard) && haveEqualQuantities(status.used, used);
  return { status: isUpToDate ? undefined : { hard, used }, requeueAfterMs };
}

/** `{resource}.{group}`; the dot precedes an empty group as well. */
export const resourceKeyOf = ({ group, resource }: GroupResource): string => `${resource}.${group}`;

function countedResources(limits: Iterable<CountedResource>): readonly GroupResource[] {
  return [...new Map([...limits].map(({ kind }) => [resourceKeyOf(kind), kind])).values()];
}

/** Ignores the notation of the quantities. */
function haveEqualQuantities(a: Readonly<Record<string, string>> | undefined, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(b);
  if (a === undefined) return names.length === 0;
  if (Object.keys(a).length !== names.length) return false;
  return names.every((name) => {
    const quantityOfA = ownMember(a, name);
    const quantityOfB = ownMember(b, name);
    if (quantityOfA === undefined || quantityOfB === undefined) return false;
    return quantityOfA === quantityOfB || compareQuantities(quantityOfA, quantityOfB) === 0;
  });
}
