/** What controllers read of nodes. Names of taints and labels are known in either spelling, and written in the one that the server generates. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { ObjectReference } from '../../shared/client/events/event-correlation';
import { canonicalQualifiedName, otherQualifiedName } from '../../shared/names/dialect';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  /** As it stands in the node. */
  readonly body: JsonObject;
}

export function taintsOf({ body }: ApiObject): readonly Taint[] {
  return (arrayAt(objectAt(body, 'spec'), 'taints') ?? []).filter(isObject).map((taint) => ({
    key: stringAt(taint, 'key') ?? '',
    value: stringAt(taint, 'value') ?? '',
    effect: stringAt(taint, 'effect') ?? '',
    body: taint,
  }));
}

/** The value of a label, by its canonical name. */
export function nodeLabel({ body }: ApiObject, canonical: string): string | undefined {
  const labels = objectAt(objectAt(body, 'metadata'), 'labels');
  return stringAt(labels, canonical) ?? stringAt(labels, otherQualifiedName(canonical) ?? canonical);
}

export const isUnschedulable = ({ body }: ApiObject): boolean => own(objectAt(body, 'spec') ?? {}, 'unschedulable') === true;

export function nodeReference({ name, uid }: ApiObject): ObjectReference {
  return { apiVersion: 'v1', kind: 'Node', namespace: '', name, uid };
}

export function tolerates(toleration: JsonObject, { key, value, effect }: Pick<Taint, 'key' | 'value' | 'effect'>): boolean {
  const text = (member: string): string => stringAt(toleration, member) ?? '';
  if (text('effect') !== '' && text('effect') !== effect) return false;
  if (text('key') !== '' && canonicalQualifiedName(text('key')) !== canonicalQualifiedName(key)) return false;
  switch (text('operator')) {
    case '':
    case 'Equal':
      return text('value') === value;
    case 'Exists':
      return true;
    default:
      return false;
  }
}
