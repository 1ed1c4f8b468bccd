/** Shared building blocks of cells: names, ages, and texts for absent values. */
import type { MetaV1LabelSelector, MetaV1ObjectMeta, ObjectTypes } from '../../../shared/api/types/generated/members';
import { compareBytes, isEmptyObject, sortedKeys, type JsonObject } from '../../../shared/values/json';
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import type { Cell } from './convertor';

/** Prints an object of the type in which its kind is stored. */
export type PrintCells<O extends JsonObject = JsonObject> = (object: O) => Cell[];

/** By the type in which objects are stored. */
export type CellTable = { readonly [Type in keyof ObjectTypes]?: PrintCells<ObjectTypes[Type]> };

/** What every object has. */
export type ObjectWithMetadata = { metadata?: MetaV1ObjectMeta };

export const NONE = '<none>';
export const UNKNOWN = '<unknown>';
export const UNSET = '<unset>';

export function nameOf({ metadata }: ObjectWithMetadata): string {
  return metadata?.name ?? '';
}

export function creationAge({ metadata }: ObjectWithMetadata): Cell {
  return ageSince(metadata?.creationTimestamp);
}

export function ageSince(time: string | null | undefined, before = '', after = ''): Cell {
  const milliseconds = Date.parse(time ?? '');
  return Number.isNaN(milliseconds) ? UNKNOWN : { before, since: milliseconds, after };
}

export function textOr(text: string | undefined, defaultText: string): string {
  return text === undefined || text === '' ? defaultText : text;
}

/** The value of an annotation, with its name in either spelling. */
export function annotationAt({ metadata }: ObjectWithMetadata, canonicalName: string): string | undefined {
  const annotations = metadata?.annotations ?? {};
  const key = Object.keys(annotations).find((candidate) => canonicalQualifiedName(candidate) === canonicalName);
  return key === undefined ? undefined : annotations[key];
}

export function isBeingDeleted({ metadata }: ObjectWithMetadata): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

/** Joins the first items and appends the number of others. */
export function joinFirst(items: readonly string[], maxItems: number, separator = ','): string {
  const shown = items.slice(0, maxItems).join(separator);
  return items.length > maxItems ? `${shown} + ${items.length - maxItems} more...` : shown;
}

/** `a=b,c=d`. */
export function labelPairs(labels: Record<string, string> = {}): string {
  if (isEmptyObject(labels)) return NONE;
  return sortedKeys(labels)
    .map((key) => `${key}=${labels[key] ?? ''}`)
    .join(',');
}

/** A label selector in its string form: `a=b,c in (d,e),!f`. */
export function selectorText(selector: MetaV1LabelSelector | null | undefined): string {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const terms = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...matchExpressions.map(({ key = '', operator = '', values = [] }) => ({
      key,
      text: termText(key, operator, [...values].sort(compareBytes)),
    })),
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

/** Addresses of a load balancer, in order. */
export function loadBalancerAddresses(points: readonly { ip?: string; hostname?: string }[] = []): string[] {
  const addresses = new Set(points.map(({ ip, hostname = '' }) => textOr(ip, hostname)));
  addresses.delete('');
  return [...addresses].sort(compareBytes);
}
