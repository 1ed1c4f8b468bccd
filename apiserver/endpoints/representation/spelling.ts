/**
 * Converts the bodies of one kind for a response: to the served version, to the dialect of group names, and to the alias
 * of a system namespace when the path uses it. Stored bytes are returned unchanged when nothing is to be converted. All
 * encoders take their bodies from here.
 */
import type { HubConverter } from '../../../shared/api/conversion';
import { codecOf } from '../../../shared/api/codec/codec';
import type { GroupFields } from '../../../shared/api/types/group-fields';
import { groupResourceText } from '../../../shared/api/identity/identity';
import type { JsonObject } from '../../../shared/values/json';
import { storedRowOf, type KindRow } from '../../../shared/api/kinds';
import type { Dialect, NamespaceAlias } from '../../../shared/names/dialect';
import type { Entry } from '../../cache/cache';
import type { CachePolicy, EncodingCache } from './encoding-cache';
import type { ResponseNames } from './encoding-offload';
import { apiVersionText, convertBody, metadataMember, convertMetadata, type VersionConversion } from './entry-json';
import { sortedMetadata } from './sorted-metadata';
import { isStoredWithSchema, storedVersionOf } from '../../registry/object/hidden-fields';

/** The key in the encoding cache of a body of the stored version in the other dialect. */
const STORED_BODY = 'body';
/** The key in the encoding cache of the metadata in the other dialect, which are the same for all versions. */
const METADATA = 'metadata';

/** Converts entries of one kind to one spelling: the dialect of group names, the version, and the namespace's alias. */
export class Spelling {
  /** Unique for each spelling of a kind; part of every encoder's key. */
  readonly key: string;
  /** The kind's `apiVersion` in the dialect. */
  readonly apiVersion: string;
  readonly dialect: Dialect;
  private readonly fields: GroupFields;
  /** Group fields of the stored version. */
  private readonly storedFields: GroupFields;
  /** Key of the body in the encoding cache. */
  private readonly bodyKey: string;
  private readonly sortedKey: string;
  /** The conversion to the served version: for custom kinds, and for built-in kinds that are stored in another version. */
  private readonly version: VersionConversion | undefined;
  private readonly applyAlias: ((body: Buffer) => Buffer) | undefined;

  constructor(
    readonly row: KindRow,
    { dialect, alias }: ResponseNames,
    private readonly cache: EncodingCache,
    /** Set for a built-in kind that is stored in another version. */
    private readonly converter?: HubConverter,
  ) {
    this.dialect = dialect;
    this.apiVersion = apiVersionText(row, dialect);
    this.version = versionOf(row, converter);
    const { displayId = '' } = row.custom ?? {};
    this.key = `${this.apiVersion}/${dialect}/${alias?.shown ?? ''}/${displayId}`;
    this.bodyKey = this.version === undefined ? STORED_BODY : `body/${row.version}/${row.group}/${dialect}/${displayId}`;
    this.sortedKey = `sorted/${this.key}`;
    this.fields = codecOf(row).groupFields;
    this.storedFields = codecOf(storedRowOf(row)).groupFields;
    this.applyAlias = alias === undefined ? undefined : aliasApplier(row, alias);
  }

  /** An entry's body for the response. The policy applies to a conversion. */
  body(entry: Entry, policy: CachePolicy): Buffer {
    const { applyAlias } = this;
    const body = this.isServedAsStored(entry) ? entry.bytes : this.converted(entry, policy);
    return applyAlias === undefined ? body : applyAlias(body);
  }

  private isServedAsStored(entry: Entry): boolean {
    if (this.isOutdated(entry)) return false;
    return this.converter === undefined && (this.dialect === 'platform' || !entry.isDialectSensitive);
  }

  /** Whether a custom object was written in another version or with another schema. */
  private isOutdated(entry: Entry): boolean {
    const { custom } = this.row;
    return custom !== undefined && !isStoredWithSchema(custom, entry);
  }

  /**
   * A body that contains the metadata for the response, and possibly more. For a built-in kind, only the metadata is
   * parsed and converted to the dialect: as in upstream, metadata alone is not converted between versions. Custom objects
   * are converted whole.
   */
  metadataBody(entry: Entry, policy: CachePolicy): Buffer {
    if (this.row.custom !== undefined) return this.body(entry, policy);
    if (this.dialect === 'platform' || !entry.isDialectSensitive) return this.canonicalBody(entry);
    const { bytes } = this.cache.get(entry, METADATA, policy, (source) => ({
      bytes: convertMetadata(source.bytes, this.storedFields, this.dialect),
    }));
    return this.applyAlias?.(bytes) ?? bytes;
  }

  /** The metadata member of a custom object in sorted order. `body`: the result of {@link body} for the entry. */
  sortedMetadata(entry: Entry, body: Buffer, policy: CachePolicy): Buffer {
    return this.cache.get(entry, this.sortedKey, policy, () => ({ bytes: sortedMetadata(metadataMember(body)) })).bytes;
  }

  /**
   * The form that the printers of Tables read: the body as stored, with the alias. A custom object that was written in
   * another version or with another schema is converted.
   */
  canonicalBody(entry: Entry): Buffer {
    if (this.isOutdated(entry)) return this.body(entry, 'uncached');
    return this.applyAlias?.(entry.bytes) ?? entry.bytes;
  }

  private converted(entry: Entry, policy: CachePolicy): Buffer {
    return this.cache.get(entry, this.bodyKey, policy, (source) => ({
      bytes: convertBody(source, this.fields, this.dialect, this.version),
    })).bytes;
  }
}

function versionOf(row: KindRow, converter: HubConverter | undefined): VersionConversion | undefined {
  const codec = codecOf(row);
  const encode = (object: JsonObject): string => codec.encodeBody(object);
  if (converter !== undefined) return { convert: (object) => converter.fromHub(object), encode };
  const { custom } = row;
  return custom === undefined
    ? undefined
    : { convert: (object, entry) => codec.fromStored(object, storedVersionOf(custom, entry)), encode };
}

/**
 * Returns the function that replaces the namespace in a body by its alias: in `metadata.namespace`, or for a Namespace in
 * `metadata.name`. Bodies without the stored name there, such as bookmarks, stay unchanged.
 */
function aliasApplier(row: KindRow, { stored, shown }: NamespaceAlias): (body: Buffer) => Buffer {
  const isNamespace = groupResourceText(row) === 'namespaces';
  const member = isNamespace ? `{"metadata":{"name":"${stored}"` : `"namespace":"${stored}"`;
  const shownMember = Buffer.from(member.replace(stored, shown));
  return (body) => {
    // Quotes within strings are escaped, and only names precede the namespace, so the first match is the member
    // itself.
    const start = body.indexOf(member, 0, 'latin1');
    if (start < 0 || (isNamespace && start > 0)) return body;
    const after = start + member.length;
    const bytes = Buffer.allocUnsafeSlow(body.length - member.length + shownMember.length);
    body.copy(bytes, 0, 0, start);
    shownMember.copy(bytes, start);
    body.copy(bytes, start + shownMember.length, after);
    return bytes;
  };
}
