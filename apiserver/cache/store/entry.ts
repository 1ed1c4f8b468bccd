/**
 * Makes entries out of stored values: splices the resource version into the body and shares labels and fields between entries.
 *
 * What it is for: everything that reads a value from the store (the stream, a page, a write's own result) gets its entry here.
 * What it never does: parse a body. Values of an older table generation go through the `migrate` hook first.
 */
import { LRUCache } from 'lru-cache';
import type { Revision } from '../../storage/store';
import type { Entry, Labels, StoredType } from '../cache';
import type { HeldEntry, Slabs } from './held-entry';
import { endOfLabels, LABELS, longLabels } from './long-labels';
import { decodeStoredValue, spliceResourceVersion, TABLE_GENERATION, UnknownFormat, type StoredValue } from './stored-value';

/** Brings a value of an older table generation to the present one. Whatever it throws refuses the value. */
export type Migrate = (type: StoredType, value: StoredValue) => StoredValue;

interface Header {
  readonly labels: Labels;
  readonly fields: Labels;
}

const nothing: Labels = Object.freeze({});
const emptyHeader: Header = { labels: nothing, fields: nothing };

/** Distinct header texts whose parsed form is kept for sharing. */
const SHARED_HEADERS = 8192;
/** Longer ones are neither kept nor parsed: see {@link longLabels}. */
const LONGEST_PARSED = 16 * 1024;

export class EntryFactory {
  private readonly headers = new LRUCache<string, Header>({ max: SHARED_HEADERS });

  constructor(private readonly migrate?: Migrate) {}

  /** `bytes` is a stored value (stored-value.ts); the entry does not keep it. Throws {@link UnknownFormat}. */
  make(type: StoredType, key: string, revision: Revision, bytes: Buffer): Entry {
    return assemble(key, revision, decode(type, bytes, this.migrate), (text) => this.header(text));
  }

  /** Like `make`, with the bytes in one of the slabs: for entries that stay. */
  hold(slabs: Slabs, type: StoredType, key: string, revision: Revision, bytes: Buffer): HeldEntry {
    const value = decode(type, bytes, this.migrate);
    const { labels, fields } = value.header === '' ? emptyHeader : this.header(value.header);
    return slabs.hold({ key, revision, labels, fields }, value);
  }

  private header(text: string): Header {
    if (text.length > LONGEST_PARSED) return parseHeader(text);
    const known = this.headers.get(text);
    if (known !== undefined) return known;
    const header = parseHeader(text);
    this.headers.set(text, header);
    return header;
  }
}

/** An entry without sharing, for a value that was just written and does not stay. Throws {@link UnknownFormat}. */
export function makeEntry(type: StoredType, key: string, revision: Revision, bytes: Buffer, migrate?: Migrate): Entry {
  return assemble(key, revision, decode(type, bytes, migrate), parseHeader);
}

function decode(type: StoredType, bytes: Buffer, migrate: Migrate | undefined): StoredValue {
  const value = decodeStoredValue(bytes);
  if (value.tableGeneration === TABLE_GENERATION) return value;
  if (migrate === undefined) throw new UnknownFormat(`table generation ${value.tableGeneration} cannot be migrated`);
  return migrate(type, value);
}

function assemble(key: string, revision: Revision, value: StoredValue, headerOf: (text: string) => Header): Entry {
  const { labels, fields } = value.header === '' ? emptyHeader : headerOf(value.header);
  return { key, revision, bytes: spliceResourceVersion(value, revision), labels, fields, dialectSensitive: value.dialectSensitive };
}

function parseHeader(text: string): Header {
  if (text === '') return emptyHeader;
  if (text.length > LONGEST_PARSED && text.startsWith(LABELS)) {
    const end = endOfLabels(text);
    return { labels: longLabels(text.slice(LABELS.length, end)), fields: parsed(`{${text.slice(end).replace(/^,/, '')}`).fields };
  }
  return parsed(text);
}

function parsed(text: string): Header {
  let header: unknown;
  try {
    header = JSON.parse(text);
  } catch {
    throw new UnknownFormat('the header is not JSON');
  }
  if (typeof header !== 'object' || header === null) throw new UnknownFormat('the header is not an object');
  return { labels: strings('l' in header ? header.l : undefined), fields: strings('f' in header ? header.f : undefined) };
}

function strings(value: unknown): Labels {
  if (value === undefined) return nothing;
  if (!isStrings(value)) throw new UnknownFormat('the header holds something other than strings');
  return value;
}

function isStrings(value: unknown): value is Labels {
  return typeof value === 'object' && value !== null && Object.values(value).every((item) => typeof item === 'string');
}
