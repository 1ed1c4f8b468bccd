/**
 * The metadata of a stored custom object as they are spelled there. Of them a webhook changes labels and annotations only; all else goes into the converted
 * object as it lies, unread, for who owns what is half of many an object; and where it changes nothing, all of them do. Judges nothing.
 */
import { parseBody } from '../../shared/client/rest/json-body';
import { endOfString, endOfValue } from '../../shared/serialization/json-tokens';
import { isObject, own, stringifyJson, type JsonObject } from '../../shared/values/json';
import type { TextSpan } from './split-response';

export interface StoredMetadata {
  /** Those that are no lists and no objects: who it is, among them. */
  readonly scalars: JsonObject;
  /** Canonical, with the labels and annotations of `metadata` in the place of its own. */
  withMaps(metadata: JsonObject): string;
}

const START = '{"metadata":{';
/** In the order in which they stand. Before them are scalars, behind them lists. */
const MAPS = ['labels', 'annotations'] as const;

/** `text` is what is stored; undefined = it begins otherwise than canonical texts do. */
export function storedMetadata(text: string): StoredMetadata | undefined {
  if (!text.startsWith(START)) return undefined;
  const scalarsEnd = endOfMembers(text, START.length, (_name, value) => !isContainer(text, value));
  const mapsEnd = endOfMembers(text, scalarsEnd, (name) => name === 'labels' || name === 'annotations');
  const end = endOfMembers(text, mapsEnd, () => true);
  if (text.charAt(end) !== '}') return undefined;
  const head = text.slice(START.length, scalarsEnd);
  const tail = text.slice(mapsEnd, end);
  const scalars = parseBody(`{${head}}`);
  if (!isObject(scalars)) return undefined;
  return {
    scalars,
    withMaps: (metadata) =>
      `{${[head, ...MAPS.flatMap((name) => mapText(metadata, name)), tail.replace(/^,/, '')].filter(Boolean).join(',')}}`,
  };
}

function mapText(metadata: JsonObject, name: (typeof MAPS)[number]): readonly string[] {
  const map = own(metadata, name);
  return isObject(map) && Object.keys(map).length > 0 ? [`"${name}":${stringifyJson(map, 'sorted')}`] : [];
}

/** Where the members end, from `start` on, that `belongs` takes: at a comma, or where the object ends. */
function endOfMembers(text: string, start: number, belongs: (name: string, value: number) => boolean): number {
  let end = start;
  while (end < text.length && text.charAt(end) !== '}') {
    const name = text.charAt(end) === ',' ? end + 1 : end;
    const nameEnd = endOfString(text, name);
    const value = nameEnd + 2;
    if (!belongs(text.slice(name + 1, nameEnd), value)) return end;
    end = endOfValue(text, value);
  }
  return end;
}

const isContainer = (text: string, at: number): boolean => text.charAt(at) === '{' || text.charAt(at) === '[';

/** Where they begin. */
const OPENS = START.length - 1;
const REVISION = Buffer.from(',"resourceVersion":"');
const QUOTE = 0x22;

/**
 * Where the revision stands in what is stored, with the comma before it; undefined = it begins otherwise than canonical texts do. A quotation mark inside a text
 * is escaped, and nothing but texts comes before it: so what is found is the member itself.
 */
export function revisionIn(stored: Buffer): TextSpan | undefined {
  for (let at = 0; at < START.length; at += 1) if (stored[at] !== START.charCodeAt(at)) return undefined;
  const start = stored.indexOf(REVISION);
  if (start < 0) return undefined;
  let end = start + REVISION.length;
  while (end < stored.length && stored[end] !== QUOTE) end += 1;
  return { start, end: end + 1 };
}

/** Where metadata end in what is stored, if an answer spells them in that place as they are, without the revision; undefined = it does not. */
export function endOfKeptMetadata(stored: Buffer, revision: TextSpan, answer: Buffer, { start, end }: TextSpan): number | undefined {
  const middle = start + revision.start - OPENS;
  const last = revision.end + end - middle;
  const isKept =
    middle < end &&
    last <= stored.length &&
    answer.compare(stored, OPENS, revision.start, start, middle) === 0 &&
    answer.compare(stored, revision.end, last, middle, end) === 0;
  return isKept ? last : undefined;
}
