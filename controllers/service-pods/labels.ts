/** Reads a label of an object by either spelling of its key. */
import { otherQualifiedName } from '../../shared/names/dialect';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';

export function labelOf(body: JsonObject, label: string): string | undefined {
  const labels = objectAt(objectAt(body, 'metadata'), 'labels');
  return stringAt(labels, label) ?? stringAt(labels, otherQualifiedName(label) ?? label);
}
