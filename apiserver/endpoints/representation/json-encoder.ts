/**
 * Encodes objects, lists and watch events as JSON: whole objects, or only their metadata. Stored bytes are copied without
 * being parsed, wherever the response has them unchanged.
 */
import { stringifyJson } from '../../../shared/values/json';
import type { Status } from '../../../shared/api/errors/status';
import { JSON_MEDIA_TYPE, type Dialect } from '../../../shared/names/dialect';
import type { Entry } from '../../cache/cache';
import type { ResponsePage } from '../../registry/verbs';
import type { ByteSink } from './byte-sink';
import { itemCachePolicy, listMetadata, sortedListMetadata, type Encoder, type EventType, type ListEncoder } from './encoder';
import { metadataMember, objectHead, withRevision } from './entry-json';
import { ObjectText } from './object-text';
import type { Spelling } from './spelling';
import { statusJson } from './status-json';
import type { CachePolicy } from './encoding-cache';

const COMMA = 0x2c;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const NEW_LINE = Buffer.from('\n');
const CLOSE_OBJECT = Buffer.from('}\n');
const CLOSE_FRAME = Buffer.from('}}\n');

/** The beginnings of frames before the object. */
const FRAME_HEADS = createFrameHeads('');

/** Encodes whole objects. The items of a list have no kind and apiVersion, except those of a list of custom objects. */
export class JsonEncoder implements Encoder {
  readonly key: string;
  readonly contentType = JSON_MEDIA_TYPE;
  readonly hasDistinctFirstFrame = false;
  private readonly text: ObjectText;

  constructor(private readonly spelling: Spelling) {
    this.key = `json/${spelling.key}`;
    this.text = new ObjectText(spelling.row, spelling.apiVersion);
  }

  object(entry: Entry, policy: CachePolicy): Buffer {
    return Buffer.concat([...this.pieces(entry, policy), NEW_LINE]);
  }

  list(page: ResponsePage): ListEncoder {
    return this.spelling.row.custom === undefined ? this.plainList(page) : this.customList(page);
  }

  private plainList(page: ResponsePage): ListEncoder {
    const { spelling } = this;
    let count = 0;
    return {
      start(sink: ByteSink): void {
        sink.ascii(`${objectHead(`${spelling.row.kind}List`, spelling.apiVersion)}"metadata":${listMetadata(page)},"items":[`);
      },
      item(sink: ByteSink, entry: Entry): void {
        if (count > 0) sink.byte(COMMA);
        count += 1;
        sink.bytes(spelling.body(entry, itemCachePolicy(count)));
      },
      end(sink: ByteSink): void {
        sink.ascii(']}\n');
      },
    };
  }

  /** Upstream has no type for custom objects, so items contain kind and apiVersion, and members are sorted by name. */
  private customList(page: ResponsePage): ListEncoder {
    const { apiVersion, row } = this.spelling;
    let count = 0;
    return {
      start: (sink) => sink.ascii(`{"apiVersion":${JSON.stringify(apiVersion)},"items":[`),
      item: (sink: ByteSink, entry: Entry): void => {
        if (count > 0) sink.byte(COMMA);
        count += 1;
        for (const piece of this.pieces(entry, itemCachePolicy(count))) sink.bytes(piece);
      },
      end: (sink) => sink.ascii(`],"kind":${JSON.stringify(`${row.kind}List`)},"metadata":${sortedListMetadata(page)}}\n`),
    };
  }

  private pieces(entry: Entry, policy: CachePolicy): readonly Buffer[] {
    const { spelling } = this;
    return this.text.pieces(spelling.body(entry, policy), entry, (body) => spelling.sortedMetadata(entry, body, policy));
  }

  frame(type: EventType, entry: Entry, revision: number): Buffer {
    const body = withRevision(this.spelling.body(entry, 'uncached'), entry.revision, revision);
    return Buffer.concat([FRAME_HEADS[type], ...this.text.pieces(body, entry), CLOSE_OBJECT]);
  }

  errorFrame(status: Status): Buffer {
    return jsonErrorFrame(status, this.spelling.dialect);
  }
}

/** `PartialObjectMetadata` and its list. */
export class MetadataEncoder implements Encoder {
  readonly key: string;
  readonly contentType = JSON_MEDIA_TYPE;
  readonly hasDistinctFirstFrame = false;
  private readonly head: Buffer;
  private readonly frameHeads: Readonly<Record<EventType, Buffer>>;

  constructor(
    private readonly spelling: Spelling,
    /** `meta.platform.io/v1` in the dialect. */
    private readonly metaVersion: string,
  ) {
    this.key = `metadata/${metaVersion}/${spelling.key}`;
    const head = objectHead('PartialObjectMetadata', metaVersion);
    this.head = Buffer.from(head);
    this.frameHeads = createFrameHeads(head);
  }

  object(entry: Entry, policy: CachePolicy): Buffer {
    return Buffer.concat([this.head, this.metadata(entry, policy), CLOSE_OBJECT]);
  }

  /** Writes the object without a newline at its end. */
  write(sink: ByteSink, entry: Entry, policy: CachePolicy): void {
    sink.bytes(this.head);
    sink.bytes(this.metadata(entry, policy));
    sink.byte(CLOSE_BRACE);
  }

  list(page: ResponsePage): ListEncoder {
    let count = 0;
    const start = `${objectHead('PartialObjectMetadataList', this.metaVersion)}"metadata":${listMetadata(page)},"items":`;
    return {
      start: (sink) => sink.ascii(start),
      item: (sink, entry) => {
        sink.byte(count === 0 ? OPEN_BRACKET : COMMA);
        count += 1;
        this.write(sink, entry, itemCachePolicy(count));
      },
      // Unlike a list of whole objects, an empty list of metadata is null in upstream.
      end: (sink) => sink.ascii(count === 0 ? 'null}\n' : ']}\n'),
    };
  }

  frame(type: EventType, entry: Entry, revision: number): Buffer {
    const metadata = withRevision(this.metadata(entry, 'uncached'), entry.revision, revision);
    return Buffer.concat([this.frameHeads[type], metadata, CLOSE_FRAME]);
  }

  errorFrame(status: Status): Buffer {
    return jsonErrorFrame(status, this.spelling.dialect);
  }

  private metadata(entry: Entry, policy: CachePolicy): Buffer {
    return metadataMember(this.spelling.metadataBody(entry, policy));
  }
}

/** The beginnings of frames by event type, up to and including `objectStart`, the beginning of the object. */
function createFrameHeads(objectStart: string): Readonly<Record<EventType, Buffer>> {
  const make = (type: EventType): Buffer => Buffer.from(`{"type":"${type}","object":${objectStart}`);
  return { ADDED: make('ADDED'), MODIFIED: make('MODIFIED'), DELETED: make('DELETED'), BOOKMARK: make('BOOKMARK') };
}

/** An ERROR event with the Status. */
export function jsonErrorFrame(status: Status, dialect: Dialect): Buffer {
  return Buffer.from(`{"type":"ERROR","object":${stringifyJson(statusJson(status, dialect))}}\n`);
}
