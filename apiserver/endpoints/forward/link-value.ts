/**
 * Rewrites the value of a link attribute, given as it is written in the page: decodes its character references, replaces
 * its beginning, and escapes the result. The query, the fragment and everything after them are copied unchanged. Where
 * values begin and end is left to link-rewriter.ts, and the new link to rewrite-link.ts.
 */

const SPACE = /[\t\n\f\r ]/;

/** The named character references that a path may contain. A link ends before any other. */
const NAMED_REFERENCES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['apos', "'"],
  ['colon', ':'],
  ['gt', '>'],
  ['lt', '<'],
  ['period', '.'],
  ['quot', '"'],
  ['sol', '/'],
]);

/**
 * Characters that end or change the plain beginning of a value: control characters, space, `#`, `&`, `?` and characters
 * outside of ASCII. A value without them is a link as a whole.
 */
const UNUSUAL = /[^\x21\x22\x24\x25\x27-\x3e\x40-\x7f]/;
/** A character reference (`&#47;`, `&#x2f;`, `&sol;`), or an ASCII character other than `&`. */
const CHARACTER = /&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]+));|[\x00-\x25\x27-\x7f]/iy;

/** `rewriteLink` returns the new beginning of a link, or `undefined` to keep it. */
export function rewriteLinkValue(value: string, rewriteLink: (link: string) => string | undefined): string {
  const { link, length } = plainStart(value);
  const rewritten = rewriteLink(link);
  return rewritten === undefined ? value : escape(rewritten) + value.slice(length);
}

/**
 * The link up to its query, its fragment, a space or a character outside of ASCII. `link` has character references
 * decoded; `length` is the length of that part in the page, where they are not.
 */
function plainStart(value: string): { readonly link: string; readonly length: number } {
  if (!UNUSUAL.test(value)) return { link: value, length: value.length };
  let link = '';
  let length = 0;
  CHARACTER.lastIndex = 0;
  while (length < value.length) {
    const match = CHARACTER.exec(value);
    const character = match === null ? undefined : decodeCharacter(match);
    if (character === undefined || character === '?' || character === '#') break;
    const isSpace = SPACE.test(character);
    // Spaces before the link are skipped.
    if (isSpace && link !== '') break;
    if (!isSpace) link += character;
    length = CHARACTER.lastIndex;
  }
  return { link, length };
}

/** The character of a match of {@link CHARACTER}; `undefined` for a reference to a character outside of ASCII. */
function decodeCharacter([whole, decimal, hex, name]: RegExpExecArray): string | undefined {
  if (name !== undefined) return NAMED_REFERENCES.get(name);
  if (decimal === undefined && hex === undefined) return whole;
  const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
  return code > 0 && code < 0x80 ? String.fromCharCode(code) : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
