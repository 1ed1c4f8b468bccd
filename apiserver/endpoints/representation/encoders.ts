/**
 * Selects the encoder for a kind and a negotiated representation, and caches it. Encodings that have to parse a long object
 * are offloaded to worker threads; JSON that is mostly a copy of the stored bytes is not.
 */
import { codecOf } from '../../../shared/api/codec/codec';
import { hubConverterOf } from '../../../shared/api/conversion';
import type { KindRow } from '../../../shared/api/kinds';
import { apiVersionInDialect, type Dialect } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { TableConvertor } from '../../printers/table/convertor';
import type { Entry } from '../../cache/cache';
import type { Representation } from '../request/negotiation';
import { META_GROUP } from '../request/parameters';
import type { Encoder } from './encoder';
import { EncodingCache, type CachePolicy } from './encoding-cache';
import { metadataMember, convertedPart } from './entry-json';
import { JsonEncoder, MetadataEncoder } from './json-encoder';
import { metadataOnly, ProtobufEncoder, wholeObject } from './protobuf-encoder';
import type { EncoderForm, EncodingOffload, IncludeObject, ResponseNames } from './encoding-offload';
import { Spelling } from './spelling';
import { TableEncoder } from './table-encoder';
import { YamlEncoder } from './yaml-encoder';

const NO_BYTES = Buffer.of();

/**
 * Whether the encoding copies the stored bytes, so that it is not offloaded. The exceptions are custom objects that were
 * written in another version: they are converted all the same.
 */
const isAsStored = ({ row, wanted, names }: EncoderForm): boolean =>
  wanted.media === 'json' && wanted.transform === 'none' && names.dialect === 'platform' && row.storedAs === undefined;

/** The encoders of a server. They are created on first use and kept, as there are few combinations. */
export class Encoders {
  readonly cache = new EncodingCache();
  /** Encoders of JSON without an alias, by far the most frequent, which are found without building a key. */
  private readonly plainEncoders: Readonly<Record<Dialect, WeakMap<KindRow, JsonEncoder>>> = {
    platform: new WeakMap(),
    kubernetes: new WeakMap(),
  };
  /**
   * The other encoders of each kind by a key of their form; there are few forms. The encoders of a custom kind are
   * collected with the row of its definition.
   */
  private readonly otherEncoders = new WeakMap<KindRow, Map<string, Encoder>>();

  constructor(
    private readonly deps: {
      readonly table: TableConvertor;
      readonly clock: Clock;
      readonly naming: Dialect;
      /** Absent when no encoding is offloaded. */
      readonly offload?: EncodingOffload | undefined;
    },
  ) {}

  /**
   * The response body of one object; a promise when a worker thread encodes it. The policy applies to encodings of this
   * thread.
   */
  object(form: EncoderForm, entry: Entry, policy: CachePolicy): Buffer | Promise<Buffer> {
    const encoder = this.encoderFor(form);
    const { offload } = this.deps;
    const encodeHere = (): Buffer => encoder.object(entry, policy);
    if (offload === undefined || isAsStored(form) || !this.needsOffload(offload, form, entry)) return encodeHere();
    return offload.encode(form, entry, 'object').then((result) => ('body' in result ? result.body : encodeHere()));
  }

  /**
   * Offloads the encoding of a list's item, if it needs that. The caller awaits the promise before it encodes the item:
   * the encoding is then in the cache. `undefined` when nothing is offloaded.
   */
  prepareItem(form: EncoderForm, entry: Entry): Promise<void> | undefined {
    const { offload } = this.deps;
    if (offload === undefined || isAsStored(form) || this.cache.encodingsOf(entry).size > 0) return undefined;
    if (!this.needsOffload(offload, form, entry)) return undefined;
    return offload
      .encode(form, entry, 'item')
      .then((result) => ('encodings' in result ? this.cache.add(entry, result.encodings) : undefined));
  }

  /** Whether the part that is parsed is too long for this thread. The bytes of short objects are not inspected. */
  private needsOffload(offload: EncodingOffload, form: EncoderForm, entry: Entry): boolean {
    return entry.bytes.length > offload.limits.bytes && offload.needsOffload(this.parsedPart(form, entry));
  }

  /** The part of the stored bytes that the encoder parses; empty when it only copies them. */
  private parsedPart({ row, wanted, names, include }: EncoderForm, { bytes, isDialectSensitive }: Entry): Buffer {
    if (row.custom !== undefined || row.storedAs !== undefined) return bytes;
    switch (wanted.transform) {
      case 'none': {
        if (wanted.media !== 'json') return bytes;
        const isConverted = names.dialect !== 'platform' && isDialectSensitive;
        return isConverted ? convertedPart(bytes, codecOf(row).groupFields) : NO_BYTES;
      }
      case 'table':
        return include !== 'Object' && this.deps.table.needsMetadataOnly(row) ? metadataMember(bytes) : bytes;
      case 'partial':
      case 'partialList':
        return metadataMember(bytes);
    }
  }

  /** The encoder of a form; the same one for equal forms. */
  encoderFor({ row, wanted, names, include }: EncoderForm): Encoder {
    const { dialect, alias } = names;
    if (wanted.media === 'json' && wanted.transform === 'none' && alias === undefined) return this.plainEncoder(row, dialect);
    let byKey = this.otherEncoders.get(row);
    if (byKey === undefined) {
      byKey = new Map<string, Encoder>();
      this.otherEncoders.set(row, byKey);
    }
    const key = `${wanted.media}/${wanted.transform}/${wanted.metaVersion}/${wanted.dialect}/${dialect}/${alias?.shown}/${include}`;
    let encoder = byKey.get(key);
    if (encoder === undefined) {
      encoder = this.createEncoder(this.createSpelling(row, names), wanted, include);
      byKey.set(key, encoder);
    }
    return encoder;
  }

  private plainEncoder(row: KindRow, dialect: Dialect): JsonEncoder {
    const byRow = this.plainEncoders[dialect];
    let encoder = byRow.get(row);
    if (encoder === undefined) {
      encoder = new JsonEncoder(this.createSpelling(row, { dialect, alias: undefined }));
      byRow.set(row, encoder);
    }
    return encoder;
  }

  private createSpelling(row: KindRow, names: ResponseNames): Spelling {
    return new Spelling(row, names, this.cache, hubConverterOf(row, this.deps.naming));
  }

  private createEncoder(spelling: Spelling, wanted: Representation, include: IncludeObject): Encoder {
    const { dialect } = spelling;
    const metaVersion = apiVersionInDialect(wanted.dialect ?? dialect, `${META_GROUP}/${wanted.metaVersion}`);
    switch (wanted.media) {
      case 'yaml':
        return new YamlEncoder(this.createEncoder(spelling, { ...wanted, media: 'json' }, include));
      case 'protobuf': {
        const shape = wanted.transform === 'none' ? wholeObject(spelling) : metadataOnly(metaVersion);
        return new ProtobufEncoder(spelling, shape, wanted.dialect ?? dialect, this.cache);
      }
      case 'json':
        break;
    }
    switch (wanted.transform) {
      case 'none':
        return new JsonEncoder(spelling);
      case 'table':
        return new TableEncoder({ ...this.deps, cache: this.cache }, spelling, metaVersion, include);
      case 'partial':
      case 'partialList':
        return new MetadataEncoder(spelling, metaVersion);
    }
  }
}
