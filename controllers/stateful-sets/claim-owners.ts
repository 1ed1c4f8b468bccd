/** With whom a claim goes: with the set, with a pod that is not wanted any more, or with nobody. Decided from the set's wishes, without a server. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf, type Resource } from '../../shared/client/rest/resource';
import type { Dialect } from '../../shared/names/dialect';
import { arrayAt, equalJson, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { controllerReference } from '../workload/references';

const PODS = resourceOf('core.v1.Pod');

export interface ClaimOwners {
  readonly dialect: Dialect;
  /** Of the set. */
  readonly resource: Resource;
  readonly set: ApiObject;
  readonly pod: ApiObject;
  /** The pod is not wanted any more. */
  readonly isCondemned: boolean;
}

/** The owner references that the claim should have; undefined = it has them. Those of others stay. */
export function changedOwners(owners: ClaimOwners, claim: ApiObject): readonly JsonObject[] | undefined {
  const { set, pod } = owners;
  const known = (arrayAt(objectAt(claim.body, 'metadata'), 'ownerReferences') ?? []).filter(isObject);
  // A pod of this name that was there before is nobody's owner any more.
  const isOurs = (reference: JsonObject): boolean =>
    stringAt(reference, 'uid') === set.uid || (stringAt(reference, 'kind') === 'Pod' && stringAt(reference, 'name') === pod.name);
  const wanted = [...known.filter((reference) => !isOurs(reference)), ...ownersOf(owners)];
  return equalJson(wanted, known) ? undefined : wanted;
}

function ownersOf({ dialect, resource, set, pod, isCondemned }: ClaimOwners): readonly JsonObject[] {
  const policy = objectAt(objectAt(set.body, 'spec'), 'persistentVolumeClaimRetentionPolicy');
  const [whenScaled, whenDeleted] = [stringAt(policy, 'whenScaled'), stringAt(policy, 'whenDeleted')];
  if (isCondemned && whenScaled === 'Delete') return [controllerReference(dialect, PODS, pod)];
  return whenDeleted === 'Delete' ? [controllerReference(dialect, resource, set)] : [];
}
