/** Percent escapes: `%2f` and the like. */

const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

/** Percent-decoded text; undefined for a malformed escape. Bytes that are no UTF-8 become U+FFFD. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    if (BAD_ESCAPE.test(text)) return undefined;
    const bytes = text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(bytes, 'latin1').toString('utf8');
  }
}

/** A text whose escapes are none, or no UTF-8, stands as it is. */
export function decodePercentOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
