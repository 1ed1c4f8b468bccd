/**
 * An object to be converted: its bytes in the request, and what the response is compared with. The stored bytes are sent
 * when they are equal to the encoding of the object. Each method reads the entry, so that no decoded object is in memory
 * while a call waits.
 */
import { apiVersionInDialect, type Dialect } from '../../shared/names/dialect';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { respellGroups } from '../../shared/api/types/group-fields';
import { cloneJson, stringifyJson, type JsonObject } from '../../shared/values/json';
import type { Entry } from '../cache/cache';
import { entrySize } from '../cache/store/slab-entry';
import { isStoredWithSchema } from '../registry/object/hidden-fields';
import { parseEntry } from '../registry/object/stored-object';
import type { ReviewRequestBody } from './review-request';
import type { TextSpan } from './split-response';
import { endOfUnchangedMetadata, findResourceVersion, readStoredMetadata, type StoredMetadata } from './stored-metadata';
import type { WebhookConversion } from './webhook-conversion';

/** An object that is converted: a stored entry, or an object of a request. */
export interface OriginalObject {
  /** The number of bytes of the object, as far as it is known in advance. */
  readonly size: number;
  /** Appends the object to a review, without its resourceVersion. */
  writeTo(review: ReviewRequestBody): void;
  /** The decoded object in the version that was sent. */
  object(): JsonObject;
  /** `undefined` when the metadata must be read from the object. */
  metadata(): StoredMetadata | undefined;
  /**
   * The end of the metadata in the stored bytes, when the response contains the same metadata bytes that were sent;
   * `undefined` when they may differ.
   */
  unchangedMetadataEnd(response: Buffer, span: TextSpan): number | undefined;
}

/** An object that is not stored. */
export function originalOfObject(conversion: WebhookConversion, object: JsonObject, dialect: Dialect): OriginalObject {
  return {
    size: 0,
    writeTo: (review) => review.appendText(textOf(conversion, object, dialect)),
    object: () => object,
    metadata: () => undefined,
    unchangedMetadataEnd: () => undefined,
  };
}

/** Returns a function that creates the original of an entry. */
export function storedOriginalFactory(conversion: WebhookConversion, dialect: Dialect): (entry: Entry) => OriginalObject {
  const { apiVersion } = conversion.from;
  const head = Buffer.from(
    `{"apiVersion":${JSON.stringify(apiVersionInDialect(dialect, apiVersion))},"kind":${JSON.stringify(conversion.kind)},`,
  );
  return (entry) => new StoredOriginal(conversion, entry, dialect, head);
}

const COMMA_BYTES = 1;

class StoredOriginal implements OriginalObject {
  /** Whether the entry was stored with the schema of its version, so that it needs no decoding for it. */
  private readonly hasSchemaOfVersion: boolean;
  /** Set by `writeTo` when it has sent the stored bytes: the resourceVersion in them, which was left out. */
  private omittedVersion: TextSpan | undefined;

  /** `head` is the beginning of the object, up to the comma after kind and apiVersion. */
  constructor(
    private readonly conversion: WebhookConversion,
    private readonly entry: Entry,
    private readonly dialect: Dialect,
    private readonly head: Buffer,
  ) {
    this.hasSchemaOfVersion = isStoredWithSchema(conversion.from.custom, entry);
  }

  get size(): number {
    return this.head.length + entrySize(this.entry) + COMMA_BYTES;
  }

  writeTo(review: ReviewRequestBody): void {
    const { head } = this;
    const { bytes } = this.entry;
    this.omittedVersion = this.hasSchemaOfVersion && !this.entry.isDialectSensitive ? findResourceVersion(bytes) : undefined;
    if (this.omittedVersion === undefined) {
      review.appendText(textOf(this.conversion, this.object(), this.dialect));
      return;
    }
    const { start, end } = this.omittedVersion;
    review.appendBytes(head, 0, head.length);
    // Without the opening brace: `head` has it.
    review.appendBytes(bytes, 1, start);
    review.appendBytes(bytes, end, bytes.length);
  }

  object(): JsonObject {
    const { codec, name } = this.conversion.from;
    const { object: storedObject } = parseEntry(this.entry);
    return this.hasSchemaOfVersion ? storedObject : codec.fromStored(storedObject, name);
  }

  metadata(): StoredMetadata | undefined {
    return this.hasSchemaOfVersion ? readStoredMetadata(this.entry.bytes.toString()) : undefined;
  }

  unchangedMetadataEnd(response: Buffer, span: TextSpan): number | undefined {
    const { entry, omittedVersion } = this;
    return omittedVersion === undefined ? undefined : endOfUnchangedMetadata(entry.bytes, omittedVersion, response, span);
  }
}

/** The object as JSON with kind and apiVersion, in the spelling of the dialect and without its resourceVersion. */
function textOf({ from, kind }: WebhookConversion, object: JsonObject, dialect: Dialect): string {
  const { resourceVersion: _, ...metadata } = readMetadata(object);
  const respelled: JsonObject = { ...object, metadata: cloneJson(metadata) };
  respellGroups(respelled, from.codec.groupFields, dialect);
  const head = { apiVersion: apiVersionInDialect(dialect, from.apiVersion), kind };
  return stringifyJson({ ...head, ...respelled });
}
