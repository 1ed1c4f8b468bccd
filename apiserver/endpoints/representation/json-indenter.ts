/**
 * Indents compact JSON by two spaces as a stream that may be split anywhere. Empty objects and lists stay `{}` and
 * `[]`. Input must be valid compact JSON. Values are not parsed, so numbers and escapes stay unchanged.
 */

const NEW_LINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Indents one document: its pieces in order. */
export class JsonIndenter {
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  /** Whether an opening bracket has been read, and nothing after it. */
  private isOpened = false;

  /** Returns the indented text of the next piece. */
  next(piece: Buffer): Buffer {
    const parts: string[] = [];
    /** The start of the text that is not in `parts` yet; it is copied in one piece up to the next line break or colon. */
    let runStart = 0;
    // latin1 has a character for every byte, so the text keeps all bytes.
    const text = piece.toString('latin1');
    for (let index = 0; index < text.length; index += 1) {
      const byte = text.charCodeAt(index);
      if (this.isInString) {
        this.readInString(byte);
        continue;
      }
      const isClosing = byte === CLOSE_BRACE || byte === CLOSE_BRACKET;
      const isEmpty = this.isOpened && isClosing;
      if ((this.isOpened || isClosing) && !isEmpty) {
        this.depth += isClosing ? -1 : 1;
        parts.push(text.slice(runStart, index), this.newLine());
        runStart = index;
      }
      this.isOpened = byte === OPEN_BRACE || byte === OPEN_BRACKET;
      if (byte === QUOTE) {
        this.isInString = true;
      } else if (byte === COMMA) {
        parts.push(text.slice(runStart, index + 1), this.newLine());
        runStart = index + 1;
      } else if (byte === COLON) {
        parts.push(text.slice(runStart, index + 1), ' ');
        runStart = index + 1;
      }
    }
    parts.push(text.slice(runStart));
    return Buffer.from(parts.join(''), 'latin1');
  }

  private readInString(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === BACKSLASH) this.isEscaped = true;
    else if (byte === QUOTE) this.isInString = false;
  }

  private newLine(): string {
    return `\n${'  '.repeat(this.depth)}`;
  }
}

/** Indents a complete document. Returns no newline at its end. */
export function indentJson(document: Buffer): Buffer {
  return new JsonIndenter().next(document);
}

/** The body without the newline that encoders write at its end. */
export function withoutNewline(body: Buffer): Buffer {
  return body[body.length - 1] === NEW_LINE ? body.subarray(0, -1) : body;
}
