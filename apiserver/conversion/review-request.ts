/**
 * Builds the body of a ConversionReview request from parts of objects: stored bytes, which are copied once, and texts.
 * Limits of the number and size of objects are left to converter.ts.
 */
import type { ConversionReviewVersion } from '../../shared/api/structural/version';
import { apiVersionInDialect, type Dialect } from '../../shared/names/dialect';
import { growBuffer } from '../../shared/values/encoding/grow-buffer';

/** The kind of requests to a conversion webhook and of its responses. */
export const REVIEW_KIND = 'ConversionReview';
/** The group of ConversionReviews, in canonical spelling. */
export const REVIEW_GROUP = 'apiextensions.platform.io';

/** The apiVersion of a ConversionReview, in canonical spelling. */
export const reviewApiVersion = (version: ConversionReviewVersion): string => `${REVIEW_GROUP}/${version}`;

/** The members of a ConversionReview besides its objects. */
export interface ReviewRequest {
  readonly version: ConversionReviewVersion;
  readonly uid: string;
  /** The desired apiVersion, in the spelling of the webhook. */
  readonly desired: string;
  readonly dialect: Dialect;
}

/** The end of the body. As in upstream, a request has an empty response. */
const TAIL = ']},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}';
/** Maximum number of UTF-8 bytes per UTF-16 unit. */
const MAX_CHARACTER_BYTES = 3;
const COMMA = 0x2c;

/** A body that grows with its objects. Used for one call. */
export class ReviewRequestBody {
  private target: Buffer;
  private length = 0;
  private count = 0;

  /** `objectBytes` is the expected size of the objects. */
  constructor({ version, uid, desired, dialect }: ReviewRequest, objectBytes: number) {
    const review = `"kind":"${REVIEW_KIND}","apiVersion":"${apiVersionInDialect(dialect, reviewApiVersion(version))}"`;
    const head = `{${review},"request":{"uid":"${uid}","desiredAPIVersion":${JSON.stringify(desired)},"objects":[`;
    this.target = Buffer.allocUnsafe(objectBytes + (head.length + TAIL.length) * MAX_CHARACTER_BYTES);
    this.appendText(head);
  }

  /** Starts another object, which is appended in one or more parts. */
  startObject(): void {
    this.count += 1;
    if (this.count === 1) return;
    this.reserve(1);
    this.target[this.length] = COMMA;
    this.length += 1;
  }

  /** Appends a part of the current object, as UTF-8. */
  appendText(text: string): void {
    this.reserve(text.length * MAX_CHARACTER_BYTES);
    this.length += this.target.write(text, this.length);
  }

  /** Appends the bytes in [start, end) of `source` to the current object. */
  appendBytes(source: Buffer, start: number, end: number): void {
    this.reserve(end - start);
    this.length += source.copy(this.target, this.length, start, end);
  }

  /** Returns the complete body; nothing can be appended afterwards. */
  finish(): Buffer {
    this.appendText(TAIL);
    return this.target.subarray(0, this.length);
  }

  private reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed > this.target.length) this.target = growBuffer(this.target, this.length, needed);
  }
}
