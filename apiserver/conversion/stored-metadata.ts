/**
 * The metadata of a stored custom object as text. A webhook can change only labels and annotations, so all other
 * metadata is copied into the converted object without parsing it: managed fields are half the size of many objects.
 * When the webhook changes nothing, the metadata is copied as a whole.
 */
import { parseBody } from '../../shared/client/rest/json-body';
import { endOfString, endOfValue } from '../../shared/serialization/json/json-tokens';
import { isObject, ownMember, stringifyJson, type JsonObject } from '../../shared/values/json';
import type { TextSpan } from './split-response';

/** Metadata of a stored object, of which only some members are parsed. */
export interface StoredMetadata {
  /** The members that are neither lists nor objects, including the identity of the object. */
  readonly scalars: JsonObject;
  /** Canonical metadata with the labels and annotations of `metadata`. */
  withMaps(metadata: JsonObject): string;
}

const START = '{"metadata":{';
/** The maps of metadata, in canonical order; scalars precede them and lists follow. */
const MAPS = ['labels', 'annotations'] as const;

/** `text` is the stored text; `undefined` when it does not have the canonical form. */
export function readStoredMetadata(text: string): StoredMetadata | undefined {
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
    withMaps(metadata) {
      const parts = [head, ...MAPS.map((name) => mapText(metadata, name)), tail.replace(/^,/, '')];
      return `{${parts.filter((part) => part !== '').join(',')}}`;
    },
  };
}

/** The member as text; '' when it is absent or empty. */
function mapText(metadata: JsonObject, name: (typeof MAPS)[number]): string {
  const map = ownMember(metadata, name);
  return isObject(map) && Object.keys(map).length > 0 ? `"${name}":${stringifyJson(map, 'sorted')}` : '';
}

/** The end of the members, starting at `start`, that satisfy `isIncluded`: at a comma or at the end of the object. */
function endOfMembers(text: string, start: number, isIncluded: (name: string, value: number) => boolean): number {
  let end = start;
  while (end < text.length && text.charAt(end) !== '}') {
    const name = text.charAt(end) === ',' ? end + 1 : end;
    const nameEnd = endOfString(text, name);
    // After the quotation mark and the colon: stored JSON has no white space.
    const value = nameEnd + 2;
    if (!isIncluded(text.slice(name + 1, nameEnd), value)) return end;
    end = endOfValue(text, value);
  }
  return end;
}

/** Whether the value at the offset is an object or a list. */
const isContainer = (text: string, offset: number): boolean => text.charAt(offset) === '{' || text.charAt(offset) === '[';

/** Offset of the metadata object. */
const METADATA_OFFSET = START.length - 1;
const REVISION = Buffer.from(',"resourceVersion":"');
const QUOTE = 0x22;

/**
 * The position of the resourceVersion in the stored bytes, including the preceding comma; `undefined` when the bytes do
 * not have the canonical form. A quotation mark inside a string is escaped and only strings precede it, so the match is
 * the member itself.
 */
export function findResourceVersion(stored: Buffer): TextSpan | undefined {
  for (let index = 0; index < START.length; index += 1) if (stored[index] !== START.charCodeAt(index)) return undefined;
  const start = stored.indexOf(REVISION);
  if (start < 0) return undefined;
  let end = start + REVISION.length;
  while (end < stored.length && stored[end] !== QUOTE) end += 1;
  return { start, end: end + 1 };
}

/**
 * The end of the metadata in the stored bytes, when the response contains the same bytes without the resourceVersion;
 * `undefined` otherwise. `revision`: the result of {@link findResourceVersion}. `start` and `end`: of the metadata in the
 * response.
 *
 * - stored: `{"metadata":{"name":"a","resourceVersion":"7","uid":"u"},"spec":{}}`
 * - response: `{"name":"a","uid":"u"}`, which is compared in two parts: `{"name":"a"` and `,"uid":"u"}`
 */
export function endOfUnchangedMetadata(stored: Buffer, revision: TextSpan, response: Buffer, { start, end }: TextSpan): number | undefined {
  const firstPartEnd = start + revision.start - METADATA_OFFSET;
  const storedEnd = revision.end + end - firstPartEnd;
  const isUnchanged =
    firstPartEnd < end &&
    storedEnd <= stored.length &&
    response.compare(stored, METADATA_OFFSET, revision.start, start, firstPartEnd) === 0 &&
    response.compare(stored, revision.end, storedEnd, firstPartEnd, end) === 0;
  return isUnchanged ? storedEnd : undefined;
}
