/**
 * The metadata of a stored custom object as they are spelled there. Of them a webhook changes labels and annotations only; all else goes into the converted
 * object as it lies, unread, for who owns what is half of many an object. Judges nothing.
 */
import { parseBody } from '../../shared/client/json-body';
import { endOfText, endOfValue } from '../../shared/serialization/json-tokens';
import { isObject, own, stringifyJson, type JsonObject } from '../../shared/values/json';

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
    const nameEnd = endOfText(text, name);
    const value = nameEnd + 2;
    if (!belongs(text.slice(name + 1, nameEnd), value)) return end;
    end = endOfValue(text, value);
  }
  return end;
}

const isContainer = (text: string, at: number): boolean => text.charAt(at) === '{' || text.charAt(at) === '[';
