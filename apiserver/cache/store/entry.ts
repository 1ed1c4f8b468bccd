/**
 * Creates entries from stored values, which come from the stream, from pages of the store, or from a write. Inserts the
 * resource version into the body, without parsing it, and shares labels and fields between entries. Values of an older
 * table generation pass through the `migrate` hook first.
 */
import { LRUCache } from 'lru-cache';
import type { Revision } from '../../storage/store';
import type { Entry, Labels, StoredType } from '../cache';
import type { SlabEntry, SlabAllocator } from './slab-entry';
import { labelsEnd, LABELS_START, lazyLabels } from './lazy-labels';
import { decodeStoredValue, spliceResourceVersion, TABLE_GENERATION, UnknownFormatError, type StoredValue } from './stored-value';

/** Converts a value of an older table generation to the current one. An error makes the value unreadable. */
export type MigrateStoredValue = (type: StoredType, value: StoredValue) => StoredValue;

/** The parsed header of a stored value. */
interface EntryHeader {
  readonly labels: Labels;
  readonly fields: Labels;
}

const NO_LABELS: Labels = Object.freeze({});
const EMPTY_HEADER: EntryHeader = { labels: NO_LABELS, fields: NO_LABELS };

/** Number of distinct header texts with a cached parsed form. */
const MAX_SHARED_HEADERS = 8192;
/** Longer header texts are not cached, and their labels are not parsed: see {@link lazyLabels}. In characters. */
const MAX_PARSED_HEADER = 16 * 1024;

/** Creates the entries of one cache; those with equal header texts share their labels and fields. */
export class EntryFactory {
  private readonly headers = new LRUCache<string, EntryHeader>({ max: MAX_SHARED_HEADERS });

  constructor(private readonly migrate?: MigrateStoredValue) {}

  /** `bytes` is a stored value (stored-value.ts); the entry does not keep it. Throws {@link UnknownFormatError}. */
  create(type: StoredType, key: string, revision: Revision, bytes: Buffer): Entry {
    return assemble(key, revision, decode(type, bytes, this.migrate), (text) => this.sharedHeader(text));
  }

  /** Like `create`, with the bytes in a slab: for entries that stay in memory. Positional, because it runs for every event. */
  createInSlab(slabs: SlabAllocator, type: StoredType, key: string, revision: Revision, bytes: Buffer): SlabEntry {
    const value = decode(type, bytes, this.migrate);
    const { labels, fields } = value.header === '' ? EMPTY_HEADER : this.sharedHeader(value.header);
    return slabs.allocate({ key, revision, labels, fields }, value);
  }

  private sharedHeader(text: string): EntryHeader {
    if (text.length > MAX_PARSED_HEADER) return parseHeader(text);
    const cached = this.headers.get(text);
    if (cached !== undefined) return cached;
    const header = parseHeader(text);
    this.headers.set(text, header);
    return header;
  }
}

/**
 * An entry without shared headers, for a value that was just written and does not stay in memory. Positional like
 * {@link EntryFactory.create}. Throws {@link UnknownFormatError}.
 */
export function createEntry(type: StoredType, key: string, revision: Revision, bytes: Buffer, migrate?: MigrateStoredValue): Entry {
  return assemble(key, revision, decode(type, bytes, migrate), parseHeader);
}

function decode(type: StoredType, bytes: Buffer, migrate: MigrateStoredValue | undefined): StoredValue {
  const value = decodeStoredValue(bytes);
  if (value.tableGeneration === TABLE_GENERATION) return value;
  if (migrate === undefined) throw new UnknownFormatError(`table generation ${value.tableGeneration} cannot be migrated`);
  return migrate(type, value);
}

function assemble(key: string, revision: Revision, value: StoredValue, headerOf: (text: string) => EntryHeader): Entry {
  const { labels, fields } = value.header === '' ? EMPTY_HEADER : headerOf(value.header);
  return { key, revision, bytes: spliceResourceVersion(value, revision), labels, fields, isDialectSensitive: value.isDialectSensitive };
}

function parseHeader(text: string): EntryHeader {
  if (text === '') return EMPTY_HEADER;
  if (text.length > MAX_PARSED_HEADER && text.startsWith(LABELS_START)) return parseLongHeader(text);
  return parseHeaderJson(text);
}

/** Parses the fields only. The text after the labels is `}` or `,"f":{…}}`, from which `{}` or `{"f":{…}}` is made. */
function parseLongHeader(text: string): EntryHeader {
  const end = labelsEnd(text);
  return {
    labels: lazyLabels(text.slice(LABELS_START.length, end)),
    fields: parseHeaderJson(`{${text.slice(end).replace(/^,/, '')}`).fields,
  };
}

function parseHeaderJson(text: string): EntryHeader {
  let header: unknown;
  try {
    header = JSON.parse(text);
  } catch {
    throw new UnknownFormatError('the header is not JSON');
  }
  if (typeof header !== 'object' || header === null) throw new UnknownFormatError('the header is not an object');
  return { labels: readLabels('l' in header ? header.l : undefined), fields: readLabels('f' in header ? header.f : undefined) };
}

function readLabels(value: unknown): Labels {
  if (value === undefined) return NO_LABELS;
  if (!isLabels(value)) throw new UnknownFormatError('the header has values other than strings');
  return value;
}

function isLabels(value: unknown): value is Labels {
  return typeof value === 'object' && value !== null && Object.values(value).every((item) => typeof item === 'string');
}
