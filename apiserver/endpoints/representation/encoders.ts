/** Chooses the encoder for a resource and a negotiated representation, and keeps it for the next request. */
import type { KindRow } from '../../../shared/api/kinds';
import { apiVersionIn, type Dialect } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { TableModule } from '../../discovery/table/contract';
import type { Representation } from '../negotiation';
import { META_GROUP } from '../parameters';
import type { Encoder } from './encoder';
import { EncodingCache } from './encoding-cache';
import { JsonEncoder, MetadataEncoder } from './json-encoder';
import { metadataOnly, ProtobufEncoder, wholeObject } from './protobuf-encoder';
import { TableEncoder, type IncludeObject } from './table-encoder';
import { YamlEncoder } from './yaml-encoder';

export class Encoders {
  readonly cache = new EncodingCache();
  private readonly plain: Readonly<Record<Dialect, Map<KindRow, JsonEncoder>>> = { platform: new Map(), kubernetes: new Map() };
  /** Bounded by kinds × representations × dialects. */
  private readonly others = new Map<KindRow, Map<string, Encoder>>();

  constructor(private readonly parts: { readonly table: TableModule; readonly clock: Clock }) {}

  /** Plain JSON, by far the most frequent. */
  json(row: KindRow, dialect: Dialect): JsonEncoder {
    const known = this.plain[dialect];
    let encoder = known.get(row);
    if (encoder === undefined) known.set(row, (encoder = new JsonEncoder(row, dialect, this.cache)));
    return encoder;
  }

  for(row: KindRow, wanted: Representation, dialect: Dialect, include: IncludeObject): Encoder {
    if (wanted.media === 'json' && wanted.transform === 'none') return this.json(row, dialect);
    let known = this.others.get(row);
    if (known === undefined) this.others.set(row, (known = new Map<string, Encoder>()));
    const key = `${wanted.media}/${wanted.transform}/${wanted.metaVersion}/${wanted.dialect}/${dialect}/${include}`;
    let encoder = known.get(key);
    if (encoder === undefined) known.set(key, (encoder = this.make(row, wanted, dialect, include)));
    return encoder;
  }

  private make(row: KindRow, wanted: Representation, dialect: Dialect, include: IncludeObject): Encoder {
    const metaVersion = apiVersionIn(wanted.dialect ?? dialect, `${META_GROUP}/${wanted.metaVersion}`);
    switch (wanted.media) {
      case 'yaml':
        return new YamlEncoder(this.for(row, { ...wanted, media: 'json' }, dialect, include));
      case 'protobuf': {
        const shape = wanted.transform === 'none' ? wholeObject(row, dialect) : metadataOnly(metaVersion);
        return new ProtobufEncoder(row, shape, dialect, wanted.dialect ?? dialect, this.cache);
      }
      case 'json':
        break;
    }
    switch (wanted.transform) {
      case 'none':
        return this.json(row, dialect);
      case 'table':
        return new TableEncoder({ ...this.parts, cache: this.cache }, row, dialect, metaVersion, include);
      case 'partial':
      case 'partialList':
        return new MetadataEncoder(row, dialect, this.cache, metaVersion);
    }
  }
}
