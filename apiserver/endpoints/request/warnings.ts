/**
 * The `Warning` headers of a response: de-duplicated, bounded, quoted. When all texts together are longer than 4,096
 * characters, each is shortened to 256; once the shortened ones reach the limit, further texts are dropped.
 */

/** Limit for all texts together, in code points. */
const TOTAL_RUNES = 4096;
/** Length of a shortened text. */
const SHORT_RUNES = 256;

/** The warnings of one request. */
export class WarningList {
  private readonly texts = new Set<string>();
  private isShortened = false;
  /** The code points of all texts together; of the shortened ones once texts are shortened. */
  private runes = 0;

  /**
   * Adds a warning. Ignores an empty text, one with a line break, one that was added before, and every text once the
   * limit is reached.
   */
  add(text: string): void {
    const isUsable = text !== '' && !text.includes('\n');
    if (!isUsable || this.texts.has(text) || this.runes >= TOTAL_RUNES) return;
    this.texts.add(text);
    this.runes += this.isShortened ? Math.min(runeCount(text), SHORT_RUNES) : runeCount(text);
    if (this.runes > TOTAL_RUNES && !this.isShortened) {
      this.isShortened = true;
      this.runes = [...this.texts].reduce((sum, item) => sum + Math.min(runeCount(item), SHORT_RUNES), 0);
    }
  }

  /** Header values in the order of the warnings. */
  headers(): string[] {
    return [...this.texts].map((text) => `299 - ${warningText(this.isShortened ? truncate(text) : text)}`);
  }
}

function runeCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function truncate(text: string): string {
  return [...text].slice(0, SHORT_RUNES).join('');
}

/**
 * The text as a quoted string, without control characters. Its bytes are to be UTF-8, but Node writes header values as
 * latin1: so each byte of the UTF-8 text becomes one character.
 */
function warningText(text: string): string {
  const safe = text.replace(/\p{Cc}/gu, '').replace(/[\\"]/g, '\\$&');
  return `"${Buffer.from(safe, 'utf8').toString('latin1')}"`;
}
