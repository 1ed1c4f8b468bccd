/**
 * How the bodies of one kind are spelled in an answer: the version that is served, the dialect of group names, and a system namespace's alias
 * where the path used it.
 * The stored bytes are handed on untouched where nothing is to be respelled. Encoders get bodies from here only.
 */
import type { Converter } from '../../../shared/api/conversion';
import { codecOf } from '../../../shared/api/codec/codec';
import type { GroupFields } from '../../../shared/api/types/group-fields';
import { groupResourceText } from '../../../shared/api/identity/identity';
import type { JsonObject } from '../../../shared/values/json';
import { storedRowOf, type KindRow } from '../../../shared/api/kinds';
import type { Dialect, NamespaceAlias } from '../../../shared/names/dialect';
import type { Entry } from '../../cache/cache';
import type { EncodingCache } from './encoding-cache';
import { apiVersionText, convertBody, metadataMember, respelledMetadata, type OtherVersion } from './entry-json';
import { sortedMetadata } from './sorted-metadata';
import { isWrittenWith, writtenVersion } from '../../registry/object/hidden-fields';

/** In the encoding cache: the stored version in the other dialect, and the metadata of any version. */
const STORED_BODY = 'body';
const METADATA = 'metadata';

export class Spelling {
  /** Different for any two spellings of a kind; part of every encoder's key. */
  readonly key: string;
  /** The kind's `apiVersion` in the dialect. */
  readonly apiVersion: string;
  private readonly fields: GroupFields;
  /** Of the version that is stored. */
  private readonly storedFields: GroupFields;
  /** Of the body in the encoding cache. */
  private readonly bodyKey: string;
  private readonly sortedKey: string;
  /** Set when bodies may have to be put into the served version. */
  private readonly version: OtherVersion | undefined;
  private readonly placed: ((body: Buffer) => Buffer) | undefined;

  constructor(
    readonly row: KindRow,
    readonly dialect: Dialect,
    alias: NamespaceAlias | undefined,
    private readonly cache: EncodingCache,
    /** Set when objects are stored in another version. */
    private readonly converter?: Converter,
  ) {
    this.apiVersion = apiVersionText(row, dialect);
    this.version = versionOf(row, converter);
    const { shownId = '' } = row.custom ?? {};
    this.key = `${this.apiVersion}/${dialect}/${alias?.shown ?? ''}/${shownId}`;
    this.bodyKey = this.version === undefined ? STORED_BODY : `body/${row.version}/${row.group}/${dialect}/${shownId}`;
    this.sortedKey = `sorted/${this.key}`;
    this.fields = codecOf(row).groupFields;
    this.storedFields = codecOf(storedRowOf(row)).groupFields;
    this.placed = alias === undefined ? undefined : placer(row, alias);
  }

  /** An entry's body as the answer shows it. `keep` = a conversion may stay in the cache. */
  body(entry: Entry, keep: boolean): Buffer {
    const { placed } = this;
    const body = this.isShownAsStored(entry) ? entry.bytes : this.converted(entry, keep);
    return placed === undefined ? body : placed(body);
  }

  private isShownAsStored(entry: Entry): boolean {
    if (this.isOutdated(entry)) return false;
    return this.converter === undefined && (this.dialect === 'platform' || !entry.dialectSensitive);
  }

  /** A custom object that was written in another version or with another schema. */
  private isOutdated(entry: Entry): boolean {
    const { custom } = this.row;
    return custom !== undefined && !isWrittenWith(custom, entry);
  }

  /**
   * A body that shows the answer's metadata, and may have more: on their own they are not converted (upstream behaviour), and objects are often large,
   * so nothing else of them is looked at.
   */
  metadataBody(entry: Entry, keep: boolean): Buffer {
    if (this.row.custom !== undefined) return this.body(entry, keep);
    if (this.dialect === 'platform' || !entry.dialectSensitive) return this.canonicalBody(entry);
    const { bytes } = this.cache.get(entry, METADATA, keep, (source) => ({
      bytes: respelledMetadata(source.bytes, this.storedFields, this.dialect),
    }));
    return this.placed?.(bytes) ?? bytes;
  }

  /** The metadata member of a custom object in sorted order. `body`: the result of {@link body} for the entry. */
  sortedMetadata(entry: Entry, body: Buffer, keep: boolean): Buffer {
    return this.cache.get(entry, this.sortedKey, keep, () => ({ bytes: sortedMetadata(metadataMember(body)) })).bytes;
  }

  /** The body as it is stored, with the alias: what rules about objects read. */
  canonicalBody(entry: Entry): Buffer {
    if (this.isOutdated(entry)) return this.body(entry, false);
    return this.placed?.(entry.bytes) ?? entry.bytes;
  }

  private converted(entry: Entry, keep: boolean): Buffer {
    return this.cache.get(entry, this.bodyKey, keep, (source) => ({ bytes: convertBody(source, this.fields, this.dialect, this.version) }))
      .bytes;
  }
}

function versionOf(row: KindRow, converter: Converter | undefined): OtherVersion | undefined {
  const form = codecOf(row);
  const encode = (object: JsonObject): string => form.encodeBody(object);
  if (converter !== undefined) return { convert: (object) => converter.fromHub(object), encode };
  const { custom } = row;
  return custom === undefined ? undefined : { convert: (object, entry) => form.refresh(object, writtenVersion(custom, entry)), encode };
}

/** Replaces the one member that names the system namespace. Bodies without it (bookmarks) stay as they are. */
function placer(row: KindRow, { stored, shown }: NamespaceAlias): (body: Buffer) => Buffer {
  const named = groupResourceText(row) === 'namespaces';
  const member = named ? `{"metadata":{"name":"${stored}"` : `"namespace":"${stored}"`;
  const shownMember = Buffer.from(member.replace(stored, shown));
  return (body) => {
    // Quotes inside strings are escaped and nothing but names stands before the namespace, so the first such text is the member itself.
    const at = body.indexOf(member, 0, 'latin1');
    if (at < 0 || (named && at > 0)) return body;
    const after = at + member.length;
    const bytes = Buffer.allocUnsafeSlow(body.length - member.length + shownMember.length);
    body.copy(bytes, 0, 0, at);
    shownMember.copy(bytes, at);
    body.copy(bytes, at + shownMember.length, after);
    return bytes;
  };
}
