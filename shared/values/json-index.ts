/**
 * A structural index of a valid JSON text, built in one pass over its bytes. Gives access to single values, or to their
 * spelling, without creating objects of the others. A value is identified by the position of its entry in the index.
 * Entries are in the order of the text: that of a member's name is followed by that of its value. Does not validate.
 */
import { parseLongInteger } from './long-integer';
import { setMember, type JsonArray, type JsonObject, type JsonValue } from './json';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_LIST = 0x5d;
const TRUE = 0x74;
const FALSE = 0x66;
const NULL = 0x6e;

/** The type of a value; `text` is a string. */
export type JsonType = 'boolean' | 'list' | 'null' | 'number' | 'object' | 'text';

/**
 * An entry is three numbers: the start offset of the value, its end offset, and the position of the next entry that is
 * not inside the value. The end offset of a string with escapes is complemented (`~end`), which makes it negative.
 */
const ENTRY_SIZE = 3;
/** Typical objects have no more values than this; for others the index grows. */
const BYTES_PER_VALUE = 8;
/** Initial capacity for short texts. */
const MIN_ENTRIES = 64;

/** Classes of bytes. */
const WORD = 0;
const BETWEEN = 1;
const OPENS = 2;
const CLOSES = 3;
const QUOTES = 4;
const CLASS_OF_BYTE = new Uint8Array(256);
for (const between of ' \t\n\r,:') CLASS_OF_BYTE[between.charCodeAt(0)] = BETWEEN;
for (const opens of [OPEN_OBJECT, OPEN_LIST]) CLASS_OF_BYTE[opens] = OPENS;
for (const closes of [CLOSE_OBJECT, CLOSE_LIST]) CLASS_OF_BYTE[closes] = CLOSES;
CLASS_OF_BYTE[QUOTE] = QUOTES;

/** Methods take and return positions of entries. They do not check that the value has the type that they expect. */
export class JsonIndex {
  /** The value of the whole text. */
  readonly root = 0;
  private entries: Int32Array;

  /** Throws when the text is obviously not JSON: empty, or with an open container or string. */
  constructor(readonly bytes: Buffer) {
    this.entries = new Int32Array(ENTRY_SIZE * (MIN_ENTRIES + Math.ceil(bytes.length / BYTES_PER_VALUE)));
    this.buildIndex();
  }

  typeOf(value: number): JsonType {
    switch (this.bytes[this.start(value)]) {
      case QUOTE:
        return 'text';
      case OPEN_OBJECT:
        return 'object';
      case OPEN_LIST:
        return 'list';
      case TRUE:
      case FALSE:
        return 'boolean';
      case NULL:
        return 'null';
      default:
        return 'number';
    }
  }

  isObject(value: number): boolean {
    return this.bytes[this.start(value)] === OPEN_OBJECT;
  }

  isText(value: number): boolean {
    return this.bytes[this.start(value)] === QUOTE;
  }

  isTrue(value: number): boolean {
    return this.bytes[this.start(value)] === TRUE;
  }

  isFalse(value: number): boolean {
    return this.bytes[this.start(value)] === FALSE;
  }

  /** The offset of the first byte of the value. */
  start(value: number): number {
    return this.entries[value] ?? 0;
  }

  /** The offset after the last byte of the value. */
  end(value: number): number {
    const end = this.entries[value + 1] ?? 0;
    return end < 0 ? ~end : end;
  }

  /** Whether a string contains escapes. */
  isEscaped(text: number): boolean {
    return (this.entries[text + 1] ?? 0) < 0;
  }

  /**
   * The first item of a list, or the first name in an object; for an empty container its {@link nextSibling}.
   */
  firstChild(container: number): number {
    return container + ENTRY_SIZE;
  }

  /** The value of the member with this name. */
  valueOfName(name: number): number {
    return name + ENTRY_SIZE;
  }

  /** The entry after a value and everything inside it. */
  nextSibling(value: number): number {
    return this.entries[value + 2] ?? 0;
  }

  /** The bytes of the value, decoded as latin1: for values in ASCII, such as numbers, or as a key of a cache. */
  spelling(value: number): string {
    return this.bytes.toString('latin1', this.start(value), this.end(value));
  }

  /** The decoded string. */
  text(value: number): string {
    const start = this.start(value);
    const end = this.end(value);
    if (!this.isEscaped(value)) return this.bytes.toString('utf8', start + 1, end - 1);
    const text: unknown = JSON.parse(this.bytes.toString('utf8', start, end));
    return String(text);
  }

  /** A bigint for a 64-bit integer that a double cannot hold exactly. */
  number(value: number): number | bigint {
    const spelling = this.spelling(value);
    return parseLongInteger(spelling) ?? Number(spelling);
  }

  /** The value with everything inside it. Recursive: the caller limits the depth. */
  toJson(value: number): JsonValue {
    switch (this.typeOf(value)) {
      case 'text':
        return this.text(value);
      case 'number':
        return this.number(value);
      case 'boolean':
        return this.isTrue(value);
      case 'null':
        return null;
      case 'list':
        return this.toJsonArray(value);
      case 'object':
        return this.toJsonObject(value);
    }
  }

  private toJsonArray(list: number): JsonArray {
    const items: JsonArray = [];
    for (let item = this.firstChild(list); item < this.nextSibling(list); item = this.nextSibling(item)) items.push(this.toJson(item));
    return items;
  }

  private toJsonObject(object: number): JsonObject {
    const result: JsonObject = {};
    for (let name = this.firstChild(object); name < this.nextSibling(object); name = this.nextSibling(this.valueOfName(name))) {
      setMember(result, this.text(name), this.toJson(this.valueOfName(name)));
    }
    return result;
  }

  /** Not recursive, because clients choose the depth. */
  private buildIndex(): void {
    const { bytes } = this;
    const open: number[] = [];
    let next = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byteClass = CLASS_OF_BYTE[bytes[at] ?? 0];
      if (byteClass === BETWEEN) continue;
      if (byteClass === CLOSES) {
        const container = open.pop() ?? 0;
        this.entries[container + 1] = at + 1;
        this.entries[container + 2] = next;
        continue;
      }
      if (next + ENTRY_SIZE > this.entries.length) this.growEntries();
      const { entries } = this;
      entries[next] = at;
      if (byteClass === OPENS) open.push(next);
      else {
        const end = byteClass === QUOTES ? endOfString(bytes, at) : endOfWord(bytes, at);
        entries[next + 1] = end;
        entries[next + 2] = next + ENTRY_SIZE;
        at = (end < 0 ? ~end : end) - 1;
      }
      next += ENTRY_SIZE;
    }
    if (next === 0 || open.length > 0) throw new Error('a string is not JSON');
  }

  private growEntries(): void {
    const larger = new Int32Array(this.entries.length * 2);
    larger.set(this.entries);
    this.entries = larger;
  }
}

/** The offset after the string, complemented when the string contains escapes. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) return ~endOfEscapedString(bytes, at);
  }
  throw new Error('a string is not terminated');
}

function endOfEscapedString(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  throw new Error('a string is not terminated');
}

function endOfWord(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && CLASS_OF_BYTE[bytes[at] ?? 0] === WORD) at += 1;
  return at;
}
