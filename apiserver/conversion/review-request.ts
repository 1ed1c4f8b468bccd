/** The question to a conversion webhook, put together of bytes as they are stored: each is copied once, and none is made a text. Asks nobody. */
import type { ConversionReviewVersion } from '../../shared/api/structural/version';
import { apiVersionInDialect, type Dialect } from '../../shared/names/dialect';
import { growBuffer } from '../../shared/values/grow-buffer';

export const REVIEW_KIND = 'ConversionReview';
export const REVIEW_GROUP = 'apiextensions.platform.io';

export const apiVersionOfReview = (version: ConversionReviewVersion): string => `${REVIEW_GROUP}/${version}`;

export interface ReviewQuestion {
  readonly version: ConversionReviewVersion;
  readonly uid: string;
  /** The version that is wanted, as the webhook knows it. */
  readonly desired: string;
  readonly dialect: Dialect;
}

const TAIL = ']},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}';
/** Of a character in UTF-8. */
const LONGEST_CHARACTER = 3;
const COMMA = 0x2c;

export class ReviewBody {
  private target: Buffer;
  private length = 0;
  private count = 0;

  /** `room` for so many bytes of objects is there from the beginning. */
  constructor({ version, uid, desired, dialect }: ReviewQuestion, room: number) {
    const review = `"kind":"${REVIEW_KIND}","apiVersion":"${apiVersionInDialect(dialect, apiVersionOfReview(version))}"`;
    const head = `{${review},"request":{"uid":"${uid}","desiredAPIVersion":${JSON.stringify(desired)},"objects":[`;
    this.target = Buffer.allocUnsafe(room + (head.length + TAIL.length) * LONGEST_CHARACTER);
    this.text(head);
  }

  /** Another object follows, in one piece or in several. */
  next(): void {
    this.count += 1;
    if (this.count === 1) return;
    this.reserve(1);
    this.target[this.length] = COMMA;
    this.length += 1;
  }

  text(text: string): void {
    this.reserve(text.length * LONGEST_CHARACTER);
    this.length += this.target.write(text, this.length);
  }

  bytes(source: Buffer, start: number, end: number): void {
    this.reserve(end - start);
    this.length += source.copy(this.target, this.length, start, end);
  }

  /** The whole; nothing follows. */
  finished(): Buffer {
    this.text(TAIL);
    return this.target.subarray(0, this.length);
  }

  private reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed > this.target.length) this.target = growBuffer(this.target, this.length, needed);
  }
}
