/** Chooses the encoder for a resource and a negotiated representation, and keeps it for the next request. */
import { codecOf } from '../../../shared/api/codec/codec';
import { converterOf } from '../../../shared/api/conversion';
import type { KindRow } from '../../../shared/api/kinds';
import { apiVersionIn, type Dialect, type NamespaceAlias } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { TableModule } from '../../printers/table/printer';
import type { Entry } from '../../cache/cache';
import type { Representation } from '../request/negotiation';
import { META_GROUP } from '../request/parameters';
import type { Encoder } from './encoder';
import { EncodingCache } from './encoding-cache';
import { metadataMember, respelledPart } from './entry-json';
import { JsonEncoder, MetadataEncoder } from './json-encoder';
import { metadataOnly, ProtobufEncoder, wholeObject } from './protobuf-encoder';
import type { AnswerNames, EncoderForm, Showing } from './encoding-offload';
import { Spelling } from './spelling';
import { TableEncoder, type IncludeObject } from './table-encoder';
import { YamlEncoder } from './yaml-encoder';

const NOTHING = Buffer.of();

/** Its bytes are those of the store, or nearly. */
const isAsStored = ({ row, wanted, names }: EncoderForm): boolean =>
  wanted.media === 'json' && wanted.transform === 'none' && names.dialect === 'platform' && row.storedAs === undefined;

export class Encoders {
  readonly cache = new EncodingCache();
  /** Plain JSON, by far the most frequent. */
  private readonly plain: Readonly<Record<Dialect, WeakMap<KindRow, JsonEncoder>>> = {
    platform: new WeakMap(),
    kubernetes: new WeakMap(),
  };
  /** Bounded by kinds × representations × dialects × aliases; those of a custom kind go with its definition. */
  private readonly others = new WeakMap<KindRow, Map<string, Encoder>>();

  constructor(
    private readonly parts: {
      readonly table: TableModule;
      readonly clock: Clock;
      readonly naming: Dialect;
      /** Absent = everything is shown here. */
      readonly showing?: Showing | undefined;
    },
  ) {}

  /** The body of an answer with one object; a promise where a thread makes it. */
  object(form: EncoderForm, entry: Entry): Buffer | Promise<Buffer> {
    const encoder = this.of(form);
    const { showing } = this.parts;
    if (showing === undefined || isAsStored(form) || !this.isHeavy(showing, form, entry)) return encoder.object(entry);
    return showing.show(form, entry, 'object').then((shown) => ('body' in shown ? shown.body : encoder.object(entry)));
  }

  /** To be waited for before an item is written, where it is not undefined. */
  prepared(form: EncoderForm, entry: Entry): Promise<void> | undefined {
    const { showing } = this.parts;
    if (showing === undefined || isAsStored(form) || this.cache.slot(entry).size > 0) return undefined;
    if (!this.isHeavy(showing, form, entry)) return undefined;
    return showing.show(form, entry, 'item').then((shown) => ('kept' in shown ? this.cache.fill(entry, shown.kept) : undefined));
  }

  /** Most objects are short, and nothing has to be looked at to see that. */
  private isHeavy(showing: Showing, form: EncoderForm, entry: Entry): boolean {
    return entry.bytes.length > showing.limits.bytes && showing.isHeavy(this.readPart(form, entry));
  }

  /** What of the stored bytes the encoder reads as more than bytes. */
  private readPart({ row, wanted, names, include }: EncoderForm, { bytes, dialectSensitive }: Entry): Buffer {
    if (row.custom !== undefined || row.storedAs !== undefined) return bytes;
    switch (wanted.transform) {
      case 'none': {
        if (wanted.media !== 'json') return bytes;
        const isRespelled = names.dialect !== 'platform' && dialectSensitive;
        return isRespelled ? respelledPart(bytes, codecOf(row).groupFields) : NOTHING;
      }
      case 'table':
        return include !== 'Object' && this.parts.table.readsMetadataOnly(row) ? metadataMember(bytes) : bytes;
      case 'partial':
      case 'partialList':
        return metadataMember(bytes);
    }
  }

  of({ row, wanted, names, include }: EncoderForm): Encoder {
    return this.for(row, wanted, names, include);
  }

  for(row: KindRow, wanted: Representation, names: AnswerNames, include: IncludeObject): Encoder {
    const { dialect, alias } = names;
    if (wanted.media === 'json' && wanted.transform === 'none' && alias === undefined) return this.json(row, dialect);
    let known = this.others.get(row);
    if (known === undefined) this.others.set(row, (known = new Map<string, Encoder>()));
    const key = `${wanted.media}/${wanted.transform}/${wanted.metaVersion}/${wanted.dialect}/${dialect}/${alias?.shown}/${include}`;
    let encoder = known.get(key);
    if (encoder === undefined) known.set(key, (encoder = this.make(this.spelling(row, dialect, alias), wanted, include)));
    return encoder;
  }

  private json(row: KindRow, dialect: Dialect): JsonEncoder {
    const known = this.plain[dialect];
    let encoder = known.get(row);
    if (encoder === undefined) known.set(row, (encoder = new JsonEncoder(this.spelling(row, dialect, undefined))));
    return encoder;
  }

  private spelling(row: KindRow, dialect: Dialect, alias: NamespaceAlias | undefined): Spelling {
    return new Spelling(row, dialect, alias, this.cache, converterOf(row, this.parts.naming));
  }

  private make(spelling: Spelling, wanted: Representation, include: IncludeObject): Encoder {
    const { dialect } = spelling;
    const metaVersion = apiVersionIn(wanted.dialect ?? dialect, `${META_GROUP}/${wanted.metaVersion}`);
    switch (wanted.media) {
      case 'yaml':
        return new YamlEncoder(this.make(spelling, { ...wanted, media: 'json' }, include));
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
        return new TableEncoder({ ...this.parts, cache: this.cache }, spelling, metaVersion, include);
      case 'partial':
      case 'partialList':
        return new MetadataEncoder(spelling, metaVersion);
    }
  }
}
