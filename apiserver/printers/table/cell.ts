/** Shared building blocks of cells: names, ages, and texts for absent values. */
import { arrayAt, compareBytes, isObject, objectAt, own, sortedKeys, stringAt, type JsonObject } from '../../../shared/values/json';
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import type { Cell } from './convertor';

export type PrintCells = (object: JsonObject) => Cell[];

export const NONE = '<none>';
export const UNKNOWN = '<unknown>';
export const UNSET = '<unset>';

export function nameOf(object: JsonObject): string {
  return stringAt(objectAt(object, 'metadata'), 'name') ?? '';
}

export function creationAge(object: JsonObject): Cell {
  return ageSince(stringAt(objectAt(object, 'metadata'), 'creationTimestamp'));
}

export function ageSince(time: string | undefined, before = '', after = ''): Cell {
  const milliseconds = time === undefined ? NaN : Date.parse(time);
  return Number.isNaN(milliseconds) ? UNKNOWN : { before, since: milliseconds, after };
}

export function keyCount(object: JsonObject, member: string): number {
  return Object.keys(objectAt(object, member) ?? {}).length;
}

export function textsAt(object: JsonObject | undefined, member: string): string[] {
  return (arrayAt(object, member) ?? []).filter((item) => typeof item === 'string');
}

export function objectsAt(object: JsonObject | undefined, member: string): JsonObject[] {
  return (arrayAt(object, member) ?? []).filter((item) => isObject(item));
}

export function textOr(text: string | undefined, defaultText: string): string {
  return text === undefined || text === '' ? defaultText : text;
}

export function numberAt(object: JsonObject | undefined, member: string): number {
  const value = own(object ?? {}, member);
  return typeof value === 'number' ? value : 0;
}

/** A string or number, as text. */
export function scalarText(object: JsonObject | undefined, member: string): string | undefined {
  const value = own(object ?? {}, member);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

export function isTrue(object: JsonObject | undefined, member: string): boolean {
  return own(object ?? {}, member) === true;
}

export function lengthAt(object: JsonObject | undefined, member: string): number {
  return arrayAt(object, member)?.length ?? 0;
}

/** The value of an annotation, with its name in either spelling. */
export function annotationAt(object: JsonObject, canonicalName: string): string | undefined {
  const annotations = objectAt(objectAt(object, 'metadata'), 'annotations') ?? {};
  const key = Object.keys(annotations).find((candidate) => canonicalQualifiedName(candidate) === canonicalName);
  return key === undefined ? undefined : stringAt(annotations, key);
}

export function isBeingDeleted(object: JsonObject): boolean {
  return stringAt(objectAt(object, 'metadata'), 'deletionTimestamp') !== undefined;
}

/** Joins the first items and appends the number of others. */
export function joinFirst(items: readonly string[], maxItems: number, separator = ','): string {
  const shown = items.slice(0, maxItems).join(separator);
  return items.length > maxItems ? `${shown} + ${items.length - maxItems} more...` : shown;
}

/** `a=b,c=d`. */
export function labelPairs(labels: JsonObject | undefined): string {
  if (labels === undefined) return NONE;
  return (
    sortedKeys(labels)
      .map((key) => `${key}=${stringAt(labels, key) ?? ''}`)
      .join(',') || NONE
  );
}

/** A label selector in its string form: `a=b,c in (d,e),!f`. */
export function selectorText(selector: JsonObject | undefined): string {
  const labels = objectAt(selector, 'matchLabels') ?? {};
  const terms = [
    ...sortedKeys(labels).map((key) => ({ key, text: `${key}=${stringAt(labels, key) ?? ''}` })),
    ...objectsAt(selector, 'matchExpressions').map((expression) => {
      const key = stringAt(expression, 'key') ?? '';
      return { key, text: termText(key, stringAt(expression, 'operator') ?? '', textsAt(expression, 'values').sort(compareBytes)) };
    }),
  ];
  const text = terms.sort((a, b) => compareBytes(a.key, b.key)).map((term) => term.text);
  return text.join(',') || NONE;
}

function termText(key: string, operator: string, values: readonly string[]): string {
  switch (operator) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
  }
}
