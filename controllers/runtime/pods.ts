/** What controllers read of pods. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { ObjectReference } from '../../shared/client/events/event-correlation';
import { arrayAt, isObject, objectAt, stringAt } from '../../shared/values/json';
import { conditionStatus } from './conditions';

/**
 * Compares objects by name, for lists that are written or of which a message names the first: the order of an informer's store depends on its history. Names are ASCII,
 * so the order of UTF-16 units is the order of bytes.
 */
export function byName({ name }: Pick<ApiObject, 'name'>, other: Pick<ApiObject, 'name'>): number {
  if (name === other.name) return 0;
  return name < other.name ? -1 : 1;
}

export const isReady = (pod: ApiObject): boolean => conditionStatus(pod.body, 'Ready') === 'True';

/** '' before a node has been chosen. */
export const nodeNameOf = (pod: ApiObject): string => stringAt(objectAt(pod.body, 'spec'), 'nodeName') ?? '';

export function hasEnded(pod: ApiObject): boolean {
  const phase = stringAt(objectAt(pod.body, 'status'), 'phase');
  return phase === 'Succeeded' || phase === 'Failed';
}

/** The object that keeps another one going. */
export interface ControllingOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export function controllerOf(object: ApiObject): ControllingOwner | undefined {
  const references = (arrayAt(objectAt(object.body, 'metadata'), 'ownerReferences') ?? []).filter(isObject);
  const found = references.find((reference) => reference['controller'] === true);
  if (found === undefined) return undefined;
  const text = (member: string): string => stringAt(found, member) ?? '';
  return { apiVersion: text('apiVersion'), kind: text('kind'), name: text('name'), uid: text('uid') };
}

export function labelsOf({ body }: ApiObject): Readonly<Record<string, string>> {
  const labels = objectAt(objectAt(body, 'metadata'), 'labels') ?? {};
  return Object.fromEntries(Object.entries(labels).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])));
}

export function podReference({ namespace, name, uid, resourceVersion }: ApiObject): ObjectReference {
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid, resourceVersion };
}
