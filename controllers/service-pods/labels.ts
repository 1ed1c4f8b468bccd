/** A label of an object as it came. */
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';

export const labelOf = (body: JsonObject, label: string): string | undefined =>
  stringAt(objectAt(objectAt(body, 'metadata'), 'labels'), label);
