/**
 * Finds the error message of Go's encoding/json for a text that `JSON.parse` rejects. Runs only after a failure, so it
 * is written for clarity instead of speed.
 */

type Expecting = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'afterMember' | 'afterItem' | 'end';

const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const ESCAPABLE = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)));
const END = -1;

/** `undefined` when the text is valid JSON, nested no deeper than `maxDepth`. */
export function explainJson(bytes: Uint8Array, maxDepth: number): string | undefined {
  return new JsonExplainer(bytes, maxDepth).run();
}

class JsonExplainer {
  private at = 0;
  private readonly open: ('object' | 'array')[] = [];

  constructor(
    private readonly bytes: Uint8Array,
    private readonly maxDepth: number,
  ) {}

  run(): string | undefined {
    let step: Expecting = 'value';
    for (;;) {
      while (SPACE.has(this.peek())) this.at += 1;
      const byte = this.peek();
      if (step === 'end') return byte === END ? undefined : invalidCharacter(byte, 'after top-level value');
      if (byte === END) return END_OF_INPUT;
      const next = this.advance(step, byte);
      if ('error' in next) return next.error;
      step = next.step;
    }
  }

  private advance(step: Expecting, byte: number): { step: Expecting } | { error: string } {
    switch (step) {
      case 'firstValue':
        if (byte === 0x5d) return this.close();
        return this.value(byte);
      case 'value':
        return this.value(byte);
      case 'firstKey':
        if (byte === 0x7d) return this.close();
        return this.key(byte);
      case 'key':
        return this.key(byte);
      case 'colon':
        if (byte !== 0x3a) return { error: invalidCharacter(byte, 'after object key') };
        this.at += 1;
        return { step: 'value' };
      case 'afterMember':
        if (byte === 0x7d) return this.close();
        if (byte !== 0x2c) return { error: invalidCharacter(byte, 'after object key:value pair') };
        this.at += 1;
        return { step: 'key' };
      case 'afterItem':
        if (byte === 0x5d) return this.close();
        if (byte !== 0x2c) return { error: invalidCharacter(byte, 'after array element') };
        this.at += 1;
        return { step: 'value' };
      case 'end':
        return { step };
    }
  }

  private value(byte: number): { step: Expecting } | { error: string } {
    if (byte === 0x7b || byte === 0x5b) {
      if (this.open.length >= this.maxDepth) return { error: invalidCharacter(byte, 'exceeded max depth') };
      this.at += 1;
      this.open.push(byte === 0x7b ? 'object' : 'array');
      return { step: byte === 0x7b ? 'firstKey' : 'firstValue' };
    }
    const error = this.scalar(byte);
    return error === undefined ? { step: this.afterValue() } : { error };
  }

  private scalar(byte: number): string | undefined {
    if (byte === 0x22) return this.string();
    if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return this.number();
    for (const word of ['true', 'false', 'null']) if (byte === word.charCodeAt(0)) return this.word(word);
    return invalidCharacter(byte, 'looking for beginning of value');
  }

  private key(byte: number): { step: Expecting } | { error: string } {
    if (byte !== 0x22) return { error: invalidCharacter(byte, 'looking for beginning of object key string') };
    const error = this.string();
    return error === undefined ? { step: 'colon' } : { error };
  }

  private close(): { step: Expecting } {
    this.at += 1;
    this.open.pop();
    return { step: this.afterValue() };
  }

  private afterValue(): Expecting {
    const container = this.open.at(-1);
    return container === undefined ? 'end' : container === 'object' ? 'afterMember' : 'afterItem';
  }

  private string(): string | undefined {
    this.at += 1;
    for (;;) {
      const byte = this.peek();
      if (byte === END) return END_OF_INPUT;
      if (byte < 0x20) return invalidCharacter(byte, 'in string literal');
      this.at += 1;
      if (byte === 0x22) return undefined;
      if (byte !== 0x5c) continue;
      const escape = this.peekOrBlank();
      if (escape !== 0x75 && !ESCAPABLE.has(escape)) return invalidCharacter(escape, 'in string escape code');
      this.at += 1;
      for (let digits = escape === 0x75 ? 4 : 0; digits > 0; digits -= 1) {
        const digit = this.peekOrBlank();
        if (!/[0-9a-fA-F]/.test(String.fromCharCode(digit))) return invalidCharacter(digit, 'in \\u hexadecimal character escape');
        this.at += 1;
      }
    }
  }

  private number(): string | undefined {
    if (this.peek() === 0x2d) this.at += 1;
    if (this.peek() === 0x30) this.at += 1;
    else if (!this.digits()) return invalidCharacter(this.peekOrBlank(), 'in numeric literal');
    if (this.peek() === 0x2e) {
      this.at += 1;
      if (!this.digits()) return invalidCharacter(this.peekOrBlank(), 'after decimal point in numeric literal');
    }
    if (this.peek() === 0x65 || this.peek() === 0x45) {
      this.at += 1;
      if (this.peek() === 0x2b || this.peek() === 0x2d) this.at += 1;
      if (!this.digits()) return invalidCharacter(this.peekOrBlank(), 'in exponent of numeric literal');
    }
    return undefined;
  }

  private digits(): boolean {
    const start = this.at;
    while (this.peek() >= 0x30 && this.peek() <= 0x39) this.at += 1;
    return this.at > start;
  }

  private word(word: string): string | undefined {
    for (let i = 0; i < word.length; i += 1) {
      const byte = this.peekOrBlank();
      if (byte !== word.charCodeAt(i)) return invalidCharacter(byte, `in literal ${word} (expecting '${word.charAt(i)}')`);
      this.at += 1;
    }
    return undefined;
  }

  private peek(): number {
    return this.bytes[this.at] ?? END;
  }

  /** Inside a literal, number or escape the end of the text counts as a space, as in Go. */
  private peekOrBlank(): number {
    return this.bytes[this.at] ?? 0x20;
  }
}

const END_OF_INPUT = 'unexpected end of JSON input';
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
