/** What is to be converted: as the webhook is shown it, and as it is. What is stored is shown as it lies there wherever that says the same. */
import { apiVersionInDialect, type Dialect } from '../../shared/names/dialect';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { respellGroups } from '../../shared/api/types/group-fields';
import { cloneJson, stringifyJson, type JsonObject } from '../../shared/values/json';
import type { Entry } from '../cache/cache';
import { sizeOf } from '../cache/store/held-entry';
import { isWrittenWith } from '../registry/object/hidden-fields';
import { parseEntry } from '../registry/object/stored-object';
import type { ReviewBody } from './review-request';
import type { TextSpan } from './split-response';
import { endOfKeptMetadata, revisionIn, storedMetadata, type StoredMetadata } from './stored-metadata';
import type { ConversionWay } from './webhook-conversion';

export interface Original {
  /** Bytes that it takes to show it, as far as that is known before. */
  readonly room: number;
  /** Into a question, without its revision. */
  show(review: ReviewBody): void;
  object(): JsonObject;
  /** Undefined = they have to be taken from the object. */
  metadata(): StoredMetadata | undefined;
  /** Where its metadata end in what is stored, if an answer spells them in that place as they were shown; undefined = they may be others. */
  keptMetadata(answer: Buffer, place: TextSpan): number | undefined;
}

export function originalOfObject(way: ConversionWay, object: JsonObject, dialect: Dialect): Original {
  return {
    room: 0,
    show: (review) => review.text(textOf(way, object, dialect)),
    object: () => object,
    metadata: () => undefined,
    keptMetadata: () => undefined,
  };
}

export function originalMaker(way: ConversionWay, dialect: Dialect): (entry: Entry) => Original {
  const { apiVersion } = way.from;
  const head = Buffer.from(`{"apiVersion":${JSON.stringify(apiVersionInDialect(dialect, apiVersion))},"kind":${JSON.stringify(way.kind)},`);
  return (entry) => new StoredOriginal(way, entry, dialect, head);
}

const COMMA_BYTES = 1;

class StoredOriginal implements Original {
  private readonly isWritten: boolean;
  /** Set where it is shown as it is stored, without that. */
  private revision: TextSpan | undefined;

  /** `head`: kind and apiVersion, as they stand before what is stored. */
  constructor(
    private readonly way: ConversionWay,
    private readonly entry: Entry,
    private readonly dialect: Dialect,
    private readonly head: Buffer,
  ) {
    this.isWritten = isWrittenWith(way.from.custom, entry);
  }

  get room(): number {
    return this.head.length + sizeOf(this.entry) + COMMA_BYTES;
  }

  show(review: ReviewBody): void {
    const { head } = this;
    const { bytes } = this.entry;
    this.revision = this.isWritten && !this.entry.dialectSensitive ? revisionIn(bytes) : undefined;
    if (this.revision === undefined) {
      review.text(textOf(this.way, this.object(), this.dialect));
      return;
    }
    const { start, end } = this.revision;
    review.bytes(head, 0, head.length);
    review.bytes(bytes, 1, start);
    review.bytes(bytes, end, bytes.length);
  }

  object(): JsonObject {
    const { codec, name } = this.way.from;
    const { object: written } = parseEntry(this.entry);
    return this.isWritten ? written : codec.fromStored(written, name);
  }

  metadata(): StoredMetadata | undefined {
    return this.isWritten ? storedMetadata(this.entry.bytes.toString()) : undefined;
  }

  keptMetadata(answer: Buffer, place: TextSpan): number | undefined {
    const { entry, revision } = this;
    return revision === undefined ? undefined : endOfKeptMetadata(entry.bytes, revision, answer, place);
  }
}

function textOf({ from, kind }: ConversionWay, object: JsonObject, dialect: Dialect): string {
  const { resourceVersion: _, ...metadata } = readMetadata(object);
  const shown: JsonObject = { ...object, metadata: cloneJson(metadata) };
  respellGroups(shown, from.codec.groupFields, dialect);
  const head = { apiVersion: apiVersionInDialect(dialect, from.apiVersion), kind };
  return stringifyJson({ ...head, ...shown });
}
