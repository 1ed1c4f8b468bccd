/** The `Warning` headers of one answer: de-duplicated, bounded, quoted. */

const TOTAL_RUNES = 4096;
const SHORT_RUNES = 256;

export class WarningList {
  private readonly texts = new Set<string>();
  private shortened = false;
  private runes = 0;

  add(text: string): void {
    if (text === '' || text.includes('\n') || this.texts.has(text) || this.runes >= TOTAL_RUNES) return;
    this.texts.add(text);
    this.runes += Math.min(runeCount(text), this.shortened ? SHORT_RUNES : TOTAL_RUNES * 2);
    if (this.runes > TOTAL_RUNES && !this.shortened) {
      this.shortened = true;
      this.runes = [...this.texts].reduce((sum, item) => sum + Math.min(runeCount(item), SHORT_RUNES), 0);
    }
  }

  /** Header values in the order in which the warnings came. */
  headers(): string[] {
    return [...this.texts].map((text) => `299 - ${quoted(this.shortened ? cut(text) : text)}`);
  }
}

function runeCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function cut(text: string): string {
  return [...text].slice(0, SHORT_RUNES).join('');
}

/** Header bytes are UTF-8; Node writes header values as latin1, so each byte becomes one character. Control characters are dropped. */
function quoted(text: string): string {
  const safe = text.replace(/\p{Cc}/gu, '').replace(/[\\"]/g, '\\$&');
  return `"${Buffer.from(safe, 'utf8').toString('latin1')}"`;
}
