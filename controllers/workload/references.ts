/** References to an owner: in the metadata of its dependents, and in Events about it. */
import type { MetaV1OwnerReference } from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { ObjectReference } from '../../shared/client/events/event-correlator';
import type { Resource } from '../../shared/client/rest/resource';
import { groupInDialect, type Dialect } from '../../shared/names/dialect';

function apiVersionOf(dialect: Dialect, { group, version }: Resource): string {
  return group === '' ? version : `${groupInDialect(dialect, group)}/${version}`;
}

/** The owner reference of a dependent that is created or adopted. */
export function controllerReference(dialect: Dialect, resource: Resource, { name, uid }: ApiObject): MetaV1OwnerReference {
  return { apiVersion: apiVersionOf(dialect, resource), kind: resource.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The `involvedObject` of an Event. */
export function eventReference(
  dialect: Dialect,
  resource: Resource,
  { namespace, name, uid, resourceVersion }: ApiObject,
): ObjectReference {
  return { apiVersion: apiVersionOf(dialect, resource), kind: resource.kind, namespace, name, uid, resourceVersion };
}
