/** How a dependant names the object that controls it, and how an Event names that object. Changes nothing. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { ObjectReference } from '../../shared/client/events/event-correlation';
import type { Resource } from '../../shared/client/rest/resource';
import { groupInDialect, type Dialect } from '../../shared/names/dialect';
import type { JsonObject } from '../../shared/values/json';

function apiVersionOf(dialect: Dialect, { group, version }: Resource): string {
  return group === '' ? version : `${groupInDialect(dialect, group)}/${version}`;
}

export function controllerReference(dialect: Dialect, resource: Resource, { name, uid }: ApiObject): JsonObject {
  return { apiVersion: apiVersionOf(dialect, resource), kind: resource.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export function eventReference(
  dialect: Dialect,
  resource: Resource,
  { namespace, name, uid, resourceVersion }: ApiObject,
): ObjectReference {
  return { apiVersion: apiVersionOf(dialect, resource), kind: resource.kind, namespace, name, uid, resourceVersion };
}
