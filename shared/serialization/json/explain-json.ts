/**
 * Finds the error message of Go's encoding/json for a text that `JSON.parse` rejects. Runs only after a failure, so it
 * is written for clarity instead of speed.
 */

/** What the text must continue with. `firstValue` and `firstKey` may be the end of an empty container instead. */
type Expecting = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'afterMember' | 'afterItem' | 'end';

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const UNICODE_ESCAPE = 0x75;
const LOWER_E = 0x65;
const UPPER_E = 0x45;
const ZERO = 0x30;
const NINE = 0x39;
const BLANKS = new Set([SPACE, 0x09, 0x0a, 0x0d]);
const ESCAPABLE = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)));
/** The result of `peek` at the end of the text. */
const END = -1;

const END_OF_INPUT = 'unexpected end of JSON input';

/** `undefined` when the text is valid JSON, nested no deeper than `maxDepth`. */
export function explainJson(bytes: Uint8Array, maxDepth: number): string | undefined {
  return new JsonExplainer(bytes, maxDepth).run();
}

type NextStep = { readonly step: Expecting } | { readonly error: string };

class JsonExplainer {
  private offset = 0;
  private readonly open: ('object' | 'array')[] = [];

  constructor(
    private readonly bytes: Uint8Array,
    private readonly maxDepth: number,
  ) {}

  run(): string | undefined {
    let step: Expecting = 'value';
    for (;;) {
      while (BLANKS.has(this.peek())) this.offset += 1;
      const byte = this.peek();
      if (step === 'end') return byte === END ? undefined : invalidCharacter(byte, 'after top-level value');
      if (byte === END) return END_OF_INPUT;
      const next = this.advance(step, byte);
      if ('error' in next) return next.error;
      step = next.step;
    }
  }

  /** Reads what the text continues with, and advances the offset. `byte` is the one at the offset. */
  private advance(step: Expecting, byte: number): NextStep {
    switch (step) {
      case 'firstValue':
        if (byte === CLOSE_ARRAY) return this.closeContainer();
        return this.readValue(byte);
      case 'value':
        return this.readValue(byte);
      case 'firstKey':
        if (byte === CLOSE_OBJECT) return this.closeContainer();
        return this.readKey(byte);
      case 'key':
        return this.readKey(byte);
      case 'colon':
        if (byte !== COLON) return { error: invalidCharacter(byte, 'after object key') };
        this.offset += 1;
        return { step: 'value' };
      case 'afterMember':
        if (byte === CLOSE_OBJECT) return this.closeContainer();
        if (byte !== COMMA) return { error: invalidCharacter(byte, 'after object key:value pair') };
        this.offset += 1;
        return { step: 'key' };
      case 'afterItem':
        if (byte === CLOSE_ARRAY) return this.closeContainer();
        if (byte !== COMMA) return { error: invalidCharacter(byte, 'after array element') };
        this.offset += 1;
        return { step: 'value' };
      case 'end':
        return { step };
    }
  }

  private readValue(byte: number): NextStep {
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (this.open.length >= this.maxDepth) return { error: invalidCharacter(byte, 'exceeded max depth') };
      this.offset += 1;
      this.open.push(byte === OPEN_OBJECT ? 'object' : 'array');
      return { step: byte === OPEN_OBJECT ? 'firstKey' : 'firstValue' };
    }
    const error = this.readScalar(byte);
    return error === undefined ? { step: this.afterValue() } : { error };
  }

  /** Returns the error of a malformed scalar; `undefined` after a valid one. */
  private readScalar(byte: number): string | undefined {
    if (byte === QUOTE) return this.readString();
    if (byte === MINUS || (byte >= ZERO && byte <= NINE)) return this.readNumber();
    for (const word of ['true', 'false', 'null']) if (byte === word.charCodeAt(0)) return this.readWord(word);
    return invalidCharacter(byte, 'looking for beginning of value');
  }

  private readKey(byte: number): NextStep {
    if (byte !== QUOTE) return { error: invalidCharacter(byte, 'looking for beginning of object key string') };
    const error = this.readString();
    return error === undefined ? { step: 'colon' } : { error };
  }

  private closeContainer(): NextStep {
    this.offset += 1;
    this.open.pop();
    return { step: this.afterValue() };
  }

  private afterValue(): Expecting {
    const container = this.open.at(-1);
    if (container === undefined) return 'end';
    return container === 'object' ? 'afterMember' : 'afterItem';
  }

  private readString(): string | undefined {
    this.offset += 1;
    for (;;) {
      const byte = this.peek();
      if (byte === END) return END_OF_INPUT;
      if (byte < SPACE) return invalidCharacter(byte, 'in string literal');
      this.offset += 1;
      if (byte === QUOTE) return undefined;
      if (byte !== BACKSLASH) continue;
      const escape = this.peekOrBlank();
      if (escape !== UNICODE_ESCAPE && !ESCAPABLE.has(escape)) return invalidCharacter(escape, 'in string escape code');
      this.offset += 1;
      for (let digits = escape === UNICODE_ESCAPE ? 4 : 0; digits > 0; digits -= 1) {
        const digit = this.peekOrBlank();
        if (!/[0-9a-fA-F]/.test(String.fromCharCode(digit))) return invalidCharacter(digit, 'in \\u hexadecimal character escape');
        this.offset += 1;
      }
    }
  }

  private readNumber(): string | undefined {
    if (this.peek() === MINUS) this.offset += 1;
    if (this.peek() === ZERO) this.offset += 1;
    else if (!this.skipDigits()) return invalidCharacter(this.peekOrBlank(), 'in numeric literal');
    if (this.peek() === POINT) {
      this.offset += 1;
      if (!this.skipDigits()) return invalidCharacter(this.peekOrBlank(), 'after decimal point in numeric literal');
    }
    if (this.peek() === LOWER_E || this.peek() === UPPER_E) {
      this.offset += 1;
      if (this.peek() === PLUS || this.peek() === MINUS) this.offset += 1;
      if (!this.skipDigits()) return invalidCharacter(this.peekOrBlank(), 'in exponent of numeric literal');
    }
    return undefined;
  }

  /** Whether there is at least one digit. */
  private skipDigits(): boolean {
    const start = this.offset;
    while (this.peek() >= ZERO && this.peek() <= NINE) this.offset += 1;
    return this.offset > start;
  }

  private readWord(word: string): string | undefined {
    for (let i = 0; i < word.length; i += 1) {
      const byte = this.peekOrBlank();
      if (byte !== word.charCodeAt(i)) return invalidCharacter(byte, `in literal ${word} (expecting '${word.charAt(i)}')`);
      this.offset += 1;
    }
    return undefined;
  }

  private peek(): number {
    return this.bytes[this.offset] ?? END;
  }

  /** Inside a literal, number or escape the end of the text counts as a space, as in Go. */
  private peekOrBlank(): number {
    return this.bytes[this.offset] ?? SPACE;
  }
}

const SHORT_ESCAPES: Record<number, string> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  0x27: "\\'",
  0x5c: '\\\\',
};

function invalidCharacter(byte: number, where: string): string {
  return `invalid character '${quoteByte(byte)}' ${where}`;
}

/** Quotes a byte as Go does: as the Latin-1 character if that is printable. */
function quoteByte(byte: number): string {
  const short = SHORT_ESCAPES[byte];
  if (short !== undefined) return short;
  if (byte < 0x20 || byte === 0x7f) return `\\x${byte.toString(16).padStart(2, '0')}`;
  if ((byte >= 0x80 && byte <= 0xa0) || byte === 0xad) return `\\u${byte.toString(16).padStart(4, '0')}`;
  return String.fromCharCode(byte);
}
