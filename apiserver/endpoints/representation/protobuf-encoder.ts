/**
 * Encodes objects, lists and watch events in protobuf: whole objects, or only their metadata. Each object and list stands
 * in an envelope with its kind (upstream's `runtime.Unknown`). Encoding messages by the type tables is left to
 * `shared/serialization/protobuf`.
 */
import type { Status } from '../../../shared/api/errors/status';
import { PROTOBUF_MEDIA_TYPE, type Dialect } from '../../../shared/names/dialect';
import { encodeProtobuf, encodeProtobufMessage, encodeStoredMessage } from '../../../shared/serialization';
import type { Entry } from '../../cache/cache';
import type { ResponsePage } from '../../registry/verbs';
import type { ByteSink } from './byte-sink';
import { itemCachePolicy, type Encoder, type EventType, type ListEncoder } from './encoder';
import type { CachePolicy, EncodingCache } from './encoding-cache';
import { metadataAlone, withRevision } from './entry-json';
import type { Spelling } from './spelling';
import { statusJson } from './status-json';

/** The name of Status in the type tables. */
export const STATUS_TYPE = 'meta.v1.Status';
const LIST_META_TYPE = 'meta.v1.ListMeta';
const METADATA_TYPE = 'meta.v1.PartialObjectMetadata';

/** The type in the envelope of an object, and how its message is built. */
export interface ProtobufShape {
  readonly kind: string;
  /** In the dialect of the response. */
  readonly apiVersion: string;
  /** Name in the type tables. */
  readonly type: string;
  /** Whether the message has only the member `metadata`. */
  readonly hasMetadataOnly: boolean;
}

/** Objects as their own kind. */
export function wholeObject({ row, apiVersion }: Spelling): ProtobufShape {
  return { kind: row.kind, apiVersion, type: row.type, hasMetadataOnly: false };
}

/** Objects as `PartialObjectMetadata`. */
export function metadataOnly(metaVersion: string): ProtobufShape {
  return { kind: 'PartialObjectMetadata', apiVersion: metaVersion, type: METADATA_TYPE, hasMetadataOnly: true };
}

/** `k8s` and a zero byte, with which every protobuf envelope begins. */
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
/** The tags of the length-delimited fields 1 and 2: the number of the field times 8, plus 2. */
const FIELD_1 = 0x0a;
const FIELD_2 = 0x12;
/** The fields 3 and 4 of the envelope, content encoding and content type: both empty, as upstream writes them. */
const ENVELOPE_END = Buffer.from([0x1a, 0x00, 0x22, 0x00]);

/** The encoder of one kind, version and spelling. */
export class ProtobufEncoder implements Encoder {
  readonly key: string;
  readonly contentType: string;
  readonly hasDistinctFirstFrame = false;
  private readonly head: Buffer;

  constructor(
    private readonly spelling: Spelling,
    private readonly shape: ProtobufShape,
    mediaDialect: Dialect,
    private readonly cache: EncodingCache,
  ) {
    this.key = `protobuf/${shape.apiVersion}/${shape.kind}/${spelling.key}`;
    this.contentType = PROTOBUF_MEDIA_TYPE[mediaDialect];
    this.head = envelopeHead(shape.apiVersion, shape.kind);
  }

  object(entry: Entry, policy: CachePolicy): Buffer {
    return this.envelope(this.message(entry, policy));
  }

  list(page: ResponsePage): ListEncoder {
    return new ProtobufList(page, this.shape, (entry, policy) => this.message(entry, policy));
  }

  frame(type: EventType, entry: Entry, revision: number): Buffer {
    const message = revision === entry.revision ? this.message(entry, 'uncached') : this.encode(entry, revision);
    return eventFrame(type, this.envelope(message));
  }

  errorFrame(status: Status): Buffer {
    return eventFrame('ERROR', encodeProtobuf(STATUS_TYPE, statusJson(status, this.spelling.dialect), 'v1', 'Status'));
  }

  private envelope(message: Buffer): Buffer {
    return Buffer.concat([this.head, varint(message.length), message, ENVELOPE_END]);
  }

  private message(entry: Entry, policy: CachePolicy): Buffer {
    return this.cache.get(entry, this.key, policy, this.makeMessage).bytes;
  }

  private readonly makeMessage = (entry: Entry): { readonly bytes: Buffer } => ({
    bytes: this.encode(entry, entry.revision),
  });

  private encode(entry: Entry, revision: number): Buffer {
    const body = this.shape.hasMetadataOnly
      ? metadataAlone(this.spelling.metadataBody(entry, 'uncached'))
      : this.spelling.body(entry, 'uncached');
    return encodeStoredMessage(this.shape.type, withRevision(body, entry.revision, revision));
  }
}

/** The envelope up to the length of the message: magic, field 1 with apiVersion and kind, and the tag of field 2. */
function envelopeHead(apiVersion: string, kind: string): Buffer {
  const typeMeta = Buffer.concat([delimited(FIELD_1, Buffer.from(apiVersion)), delimited(FIELD_2, Buffer.from(kind))]);
  return Buffer.concat([MAGIC, delimited(FIELD_1, typeMeta), Buffer.from([FIELD_2])]);
}

/**
 * A list as a protobuf message. Its length stands at its beginning, so all items are encoded once to measure them. The
 * encodings of the first items are kept; those beyond the number that `itemCachePolicy` caches are made a second time.
 */
class ProtobufList implements ListEncoder {
  /** The encodings of the first items. */
  private readonly encoded: Buffer[] = [];
  private written = 0;
  private itemBytes = 0;

  constructor(
    private readonly page: ResponsePage,
    private readonly shape: ProtobufShape,
    private readonly message: (entry: Entry, policy: CachePolicy) => Buffer,
  ) {}

  readonly measure = (entry: Entry): void => {
    const policy = itemCachePolicy(this.encoded.length + 1);
    const bytes = this.message(entry, policy);
    if (policy === 'cached') this.encoded.push(bytes);
    this.itemBytes += 1 + varintLength(bytes.length) + bytes.length;
  };

  start(sink: ByteSink): void {
    const metadata = encodeProtobufMessage(LIST_META_TYPE, {
      ...(this.page.revision === undefined ? {} : { resourceVersion: String(this.page.revision) }),
      ...(this.page.continue === undefined ? {} : { continue: this.page.continue }),
      ...(this.page.remainingItemCount === undefined ? {} : { remainingItemCount: this.page.remainingItemCount }),
    });
    const listStart = delimited(FIELD_1, metadata);
    sink.bytes(envelopeHead(this.shape.apiVersion, `${this.shape.kind}List`));
    writeVarint(sink, listStart.length + this.itemBytes);
    sink.bytes(listStart);
  }

  item(sink: ByteSink, entry: Entry): void {
    const bytes = this.encoded[this.written] ?? this.message(entry, 'uncached');
    this.written += 1;
    sink.byte(FIELD_2);
    writeVarint(sink, bytes.length);
    sink.bytes(bytes);
  }

  end(sink: ByteSink): void {
    sink.bytes(ENVELOPE_END);
  }
}

/** A frame of a watch: four bytes of length, then a WatchEvent that contains the object in its envelope. */
function eventFrame(type: EventType | 'ERROR', object: Buffer): Buffer {
  const event = Buffer.concat([delimited(FIELD_1, Buffer.from(type)), delimited(FIELD_2, delimited(FIELD_1, object))]);
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

/** A length-delimited field. `tag` is {@link FIELD_1} or {@link FIELD_2}. */
function delimited(tag: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), varint(bytes.length), bytes]);
}

/** A varint: seven bits in each byte, the lowest first; the highest bit is set in all bytes but the last. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

function varintLength(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  return value < 0x200000 ? 3 : varint(value).length;
}

function writeVarint(sink: ByteSink, value: number): void {
  let rest = value;
  while (rest > 0x7f) {
    sink.byte((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  sink.byte(rest);
}
