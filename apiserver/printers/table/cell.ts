/**
 * Functions that the cells of several kinds share: names, ages, selectors, addresses, and texts for absent values. The
 * texts are those of upstream. Members of objects may be absent, because cells are printed of any stored object.
 */
import type { MetaV1LabelSelector, MetaV1ObjectMeta, ObjectTypes } from '../../../shared/api/types/generated/members';
import { compareBytes, isEmptyObject, sortedKeys, type JsonObject } from '../../../shared/values/json';
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import type { Cell } from './convertor';

/** Prints an object of the type in which its kind is stored. */
export type PrintCells<O extends JsonObject = JsonObject> = (object: O) => Cell[];

/** By the type in which objects are stored. */
export type CellTable = { readonly [Type in keyof ObjectTypes]?: PrintCells<ObjectTypes[Type]> };

/** The members that objects of every kind have. */
export type ObjectWithMetadata = { metadata?: MetaV1ObjectMeta };

/** Texts for absent values. Each column has its own, which is upstream's. */
export const NONE = '<none>';
/** Also the text for an invalid time. */
export const UNKNOWN = '<unknown>';
export const UNSET = '<unset>';

/** The name of the object; empty when it has none. */
export function nameOf({ metadata }: ObjectWithMetadata): string {
  return metadata?.name ?? '';
}

/** `<unknown>` without a valid creation time. */
export function creationAge({ metadata }: ObjectWithMetadata): Cell {
  return ageSince(metadata?.creationTimestamp);
}

/** A cell with the age of an RFC 3339 time between two texts; `<unknown>` without a valid time. */
export function ageSince(time: string | null | undefined, before = '', after = ''): Cell {
  const milliseconds = Date.parse(time ?? '');
  return Number.isNaN(milliseconds) ? UNKNOWN : { before, since: milliseconds, after };
}

/** The text, or the default when it is absent or empty. */
export function textOr(text: string | undefined, defaultText: string): string {
  return text === undefined || text === '' ? defaultText : text;
}

/** The value of an annotation, with its name in either spelling. */
export function annotationAt({ metadata }: ObjectWithMetadata, canonicalName: string): string | undefined {
  const annotations = metadata?.annotations ?? {};
  const key = Object.keys(annotations).find((candidate) => canonicalQualifiedName(candidate) === canonicalName);
  return key === undefined ? undefined : annotations[key];
}

/** Whether the object is marked for deletion. */
export function isBeingDeleted({ metadata }: ObjectWithMetadata): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

/** Joins the first items and appends the number of others. */
export function joinFirst(items: readonly string[], maxItems: number, separator = ','): string {
  const shown = items.slice(0, maxItems).join(separator);
  return items.length > maxItems ? `${shown} + ${items.length - maxItems} more...` : shown;
}

/** Labels as `a=b,c=d`, sorted; `<none>` when there are none. */
export function labelPairs(labels: Record<string, string> = {}): string {
  if (isEmptyObject(labels)) return NONE;
  return sortedKeys(labels)
    .map((key) => `${key}=${labels[key] ?? ''}`)
    .join(',');
}

/** A label selector in its string form, such as `a=b,c in (d,e),!f`; `<none>` when it is absent or empty. */
export function selectorText(selector: MetaV1LabelSelector | null | undefined): string {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const terms = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...matchExpressions.map(({ key = '', operator = '', values = [] }) => ({
      key,
      text: termText(key, operator, [...values].sort(compareBytes)),
    })),
  ];
  terms.sort((a, b) => compareBytes(a.key, b.key));
  return terms.map(({ text }) => text).join(',') || NONE;
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

/** The distinct addresses of a load balancer, or host names where it has no IP address; sorted. */
export function loadBalancerAddresses(ingressPoints: readonly { ip?: string; hostname?: string }[] = []): string[] {
  const addresses = new Set(ingressPoints.map(({ ip, hostname = '' }) => textOr(ip, hostname)));
  addresses.delete('');
  return [...addresses].sort(compareBytes);
}
