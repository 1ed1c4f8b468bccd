/**
 * Where the values of a valid JSON text lie, found in one go over its bytes: whoever needs them as they are spelled, or few of them, makes no objects of the
 * rest. A value is known by a number; a member's value is the one behind its name. Judges nothing.
 */
import { longInteger } from './long-integer';
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

export type JsonType = 'boolean' | 'list' | 'null' | 'number' | 'object' | 'text';

/** From one value to the next: its start, its end (as its complement: a text with escapes), and the value after it and all that is in it. */
const STEP = 3;
/** Texts of real size have fewer values than bytes by this factor; others make room. */
const BYTES_PER_VALUE = 8;
const FIRST_ROOM = 64;

export class JsonPlaces {
  readonly root = 0;
  private places: Int32Array;

  constructor(readonly bytes: Buffer) {
    this.places = new Int32Array(STEP * (FIRST_ROOM + Math.ceil(bytes.length / BYTES_PER_VALUE)));
    this.find();
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

  /** In the bytes. */
  start(value: number): number {
    return this.places[value] ?? 0;
  }

  /** Behind the last of its bytes. */
  end(value: number): number {
    const end = this.places[value + 1] ?? 0;
    return end < 0 ? ~end : end;
  }

  /** A text that is spelled otherwise than it is. */
  isEscaped(text: number): boolean {
    return (this.places[text + 1] ?? 0) < 0;
  }

  /** The first item of a list, or the first name in an object; {@link past} of the container where there is none. */
  first(container: number): number {
    return container + STEP;
  }

  /** The value of a member. */
  named(name: number): number {
    return name + STEP;
  }

  /** What stands behind a value and all that is in it. */
  past(value: number): number {
    return this.places[value + 2] ?? 0;
  }

  spelling(value: number): string {
    return this.bytes.toString('latin1', this.start(value), this.end(value));
  }

  text(value: number): string {
    const [start, end] = [this.start(value), this.end(value)];
    if (!this.isEscaped(value)) return this.bytes.toString('utf8', start + 1, end - 1);
    const text: unknown = JSON.parse(this.bytes.toString('utf8', start, end));
    return String(text);
  }

  /** A double, or all the digits of an integer that none holds. */
  number(value: number): number | bigint {
    const spelled = this.spelling(value);
    return longInteger(spelled) ?? Number(spelled);
  }

  /** The value itself. */
  made(value: number): JsonValue {
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
        return this.madeList(value);
      case 'object':
        return this.madeObject(value);
    }
  }

  private madeList(list: number): JsonArray {
    const items: JsonArray = [];
    for (let item = this.first(list); item < this.past(list); item = this.past(item)) items.push(this.made(item));
    return items;
  }

  private madeObject(object: number): JsonObject {
    const made: JsonObject = {};
    for (let name = this.first(object); name < this.past(object); name = this.past(this.named(name))) {
      setMember(made, this.text(name), this.made(this.named(name)));
    }
    return made;
  }

  /** One loop, because the depth was a client's choice. */
  private find(): void {
    const { bytes } = this;
    const open: number[] = [];
    let next = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const kind = KINDS[bytes[at] ?? 0];
      if (kind === BETWEEN) continue;
      if (kind === CLOSES) {
        const container = open.pop() ?? 0;
        this.places[container + 1] = at + 1;
        this.places[container + 2] = next;
        continue;
      }
      if (next + STEP > this.places.length) this.makeRoom();
      const { places } = this;
      places[next] = at;
      if (kind === OPENS) open.push(next);
      else {
        const end = kind === QUOTES ? endOfText(bytes, at) : endOfWord(bytes, at);
        places[next + 1] = end;
        places[next + 2] = next + STEP;
        at = (end < 0 ? ~end : end) - 1;
      }
      next += STEP;
    }
    if (next === 0 || open.length > 0) throw new Error('a text is not JSON');
  }

  private makeRoom(): void {
    const larger = new Int32Array(this.places.length * 2);
    larger.set(this.places);
    this.places = larger;
  }
}

/** What begins or ends at a byte. */
const [WORD, BETWEEN, OPENS, CLOSES, QUOTES] = [0, 1, 2, 3, 4];
const KINDS = new Uint8Array(256);
for (const between of ' \t\n\r,:') KINDS[between.charCodeAt(0)] = BETWEEN;
for (const opens of [OPEN_OBJECT, OPEN_LIST]) KINDS[opens] = OPENS;
for (const closes of [CLOSE_OBJECT, CLOSE_LIST]) KINDS[closes] = CLOSES;
KINDS[QUOTE] = QUOTES;

/** Its complement where something is escaped. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) return ~endOfEscaped(bytes, at);
  }
  throw new Error('a text does not end');
}

function endOfEscaped(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  throw new Error('a text does not end');
}

function endOfWord(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && KINDS[bytes[at] ?? 0] === WORD) at += 1;
  return at;
}
