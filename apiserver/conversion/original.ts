/** What is to be converted: as the webhook is shown it, and as it is. What is stored is shown as it lies there wherever that says the same. */
import { apiVersionIn, type Dialect } from '../../shared/names/dialect';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { spellGroups } from '../../shared/api/types/group-fields';
import { cloneJson, stringifyJson, type JsonObject } from '../../shared/values/json';
import type { Entry } from '../cache/cache';
import { isWrittenWith } from '../registry/object/hidden-fields';
import { parseEntry } from '../registry/object/stored-object';
import { storedMetadata, type StoredMetadata } from './stored-metadata';
import type { ConversionWay } from './way';

export interface Original {
  /** Without its revision. */
  text(): string;
  object(): JsonObject;
  /** Undefined = they have to be taken from the object. */
  metadata(): StoredMetadata | undefined;
}

export function originalOfObject(way: ConversionWay, object: JsonObject, dialect: Dialect): Original {
  return { text: () => textOf(way, object, dialect), object: () => object, metadata: () => undefined };
}

export function originalOfEntry(way: ConversionWay, entry: Entry, dialect: Dialect): Original {
  const { from, kind } = way;
  const object = (): JsonObject => {
    const { object: written } = parseEntry(entry);
    return isWritten ? written : from.codec.refresh(written, from.name);
  };
  const isWritten = isWrittenWith(from.custom, entry);
  return {
    object,
    text: () =>
      (isWritten && !entry.dialectSensitive ? storedText(entry, apiVersionIn(dialect, from.apiVersion), kind) : undefined) ??
      textOf(way, object(), dialect),
    metadata: () => (isWritten ? storedMetadata(entry.bytes.toString()) : undefined),
  };
}

const START = '{"metadata":{';
const REVISION = ',"resourceVersion":"';

/** What is stored as it is shown, without the revision, which stands behind the names of the object; undefined = it has to be looked into. */
function storedText({ bytes }: Entry, apiVersion: string, kind: string): string | undefined {
  const text = bytes.toString();
  const from = text.indexOf(REVISION);
  const to = text.indexOf('"', from + REVISION.length);
  if (!text.startsWith(START) || from < 0 || to < 0) return undefined;
  return `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},${text.slice(1, from)}${text.slice(to + 1)}`;
}

function textOf({ from, kind }: ConversionWay, object: JsonObject, dialect: Dialect): string {
  const { resourceVersion: _, ...metadata } = readMetadata(object);
  const shown: JsonObject = { ...object, metadata: cloneJson(metadata) };
  spellGroups(shown, from.codec.groupFields, dialect);
  const head = { apiVersion: apiVersionIn(dialect, from.apiVersion), kind };
  return stringifyJson({ ...head, ...shown });
}
