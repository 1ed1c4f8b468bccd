/** Percent-decoding of URL paths and of header names with user information. `+` is not a space here. */

/** A percent sign without two hexadecimal digits. */
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

/** The percent-decoded text; `undefined` when an escape is malformed. Invalid UTF-8 becomes U+FFFD. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    if (BAD_ESCAPE.test(text)) return undefined;
    const bytes = text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(bytes, 'latin1').toString('utf8');
  }
}

/** The percent-decoded text, or the text itself when an escape is malformed or not UTF-8. */
export function decodePercentOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
