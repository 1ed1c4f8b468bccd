/**
 * Rewrites the links of an HTML page that arrives in pieces: finds the attribute values that are links and replaces
 * the beginning of each, up to its query. All other bytes are copied unchanged. Works on latin1 text, which preserves
 * the bytes of every encoding that contains ASCII. Buffers at most one link: {@link MAX_LINK} characters and one piece.
 */

/** States of the tokenizer of HTML, as far as they matter for tags and attributes. */
type State =
  | 'text'
  /** After `<`. */
  | 'open'
  /** After `</`. */
  | 'endOpen'
  /** After `<!`. */
  | 'markup'
  /** After `<!-`. */
  | 'markupDash'
  | 'comment'
  /** `<!…>` and `<?…>`, which end at the first `>`. */
  | 'bogusComment'
  /** The content of an element of {@link RAW_TEXT}, up to its end tag. */
  | 'rawText'
  /** The content of `<plaintext>`, which has no end. */
  | 'plainText'
  | 'tagName'
  | 'beforeAttribute'
  | 'attributeName'
  /** After an attribute's name: `=` or the next attribute follows. */
  | 'afterName'
  | 'beforeValue'
  | 'value';

/** The link attributes that release 1.31.1 rewrites, by element. */
const LINKS: Readonly<Record<string, string>> = {
  a: 'href',
  applet: 'codebase',
  area: 'href',
  audio: 'src',
  base: 'href',
  blockquote: 'cite',
  body: 'background',
  button: 'formaction',
  command: 'icon',
  del: 'cite',
  embed: 'src',
  form: 'action',
  frame: 'longdesc src',
  head: 'profile',
  html: 'manifest',
  iframe: 'longdesc src',
  img: 'longdesc src usemap',
  input: 'formaction src usemap',
  ins: 'cite',
  link: 'href',
  object: 'classid codebase data usemap',
  q: 'cite',
  script: 'src',
  source: 'src',
  video: 'poster src',
};

const LINK_ATTRIBUTES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(LINKS).map(([element, attributes]) => [element, new Set(attributes.split(' '))]),
);

/** Elements that contain only text up to their end tag. */
const RAW_TEXT = ['iframe', 'noembed', 'noframes', 'noscript', 'script', 'style', 'textarea', 'title', 'xmp'];

const END_TAGS: ReadonlyMap<string, RegExp> = new Map(
  RAW_TEXT.map((element) => [element, new RegExp(`</${element}(?=[\\t\\n\\f\\r />])`, 'i')]),
);

/** Matches no text. */
const NEVER = /(?!)/;

/** Of a longer link, only the beginning is held back; the link is rewritten by it, and the rest is copied. */
const MAX_LINK = 8_192;
/** Characters of a name that are kept: more than every name in {@link LINKS} and {@link RAW_TEXT} has. */
const MAX_NAME = 32;

const LETTER = /[a-z]/i;
const SPACE = /[\t\n\f\r ]/;
const END_OF_NAME = /[\t\n\f\r />]/g;
const END_OF_ATTRIBUTE_NAME = /[\t\n\f\r />=]/g;
const END_OF_UNQUOTED = /[\t\n\f\r >]/g;
const COMMENT_END = /--!?>/;

/** The end of a comment or of raw text. */
interface Terminator {
  readonly pattern: RegExp;
  /** Maximum number of characters of a match that may be in earlier pieces. */
  readonly overlap: number;
  /** The state after it. */
  readonly then: State;
}

/** The state of one page. */
export class LinkRewriter {
  private state: State = 'text';
  private element = '';
  private isEndTag = false;
  private attribute = '';
  private quote = '';
  private isLink = false;
  /** The part of the current link that earlier pieces contained. */
  private link = '';
  /** The last characters of a comment or of raw text, which may contain the beginning of its end. */
  private tail = '';
  /** The output for the current piece. */
  private output = '';
  /** Position in the current piece up to which it has been copied to the output. */
  private copiedUntil = 0;

  /** `rewrite` returns the new beginning of a link, or `undefined` to keep it. */
  constructor(private readonly rewrite: (link: string) => string | undefined) {}

  /** Returns the output for the text; a link that may continue in the next piece is held back. */
  write(text: string): string {
    this.output = '';
    this.copiedUntil = 0;
    let at = 0;
    while (at < text.length) at = this.steps[this.state](text, at);
    return this.output + text.slice(this.copiedUntil);
  }

  /** Returns the text that is held back when the page ends within a link. */
  end(): string {
    return this.isLink ? this.link : '';
  }

  /** Each step reads the text from a position and returns the position where the next step continues. */
  private readonly steps: Readonly<Record<State, (text: string, at: number) => number>> = {
    text: (text, at) => this.skipPast('<', text, at, 'open'),
    open: (text, at) => {
      const next = text.charAt(at);
      if (next === '/') return this.enter(at + 1, 'endOpen');
      if (next === '!') return this.enter(at + 1, 'markup');
      if (LETTER.test(next)) return this.startTag('start', at);
      return this.enter(at, next === '?' ? 'bogusComment' : 'text');
    },
    endOpen: (text, at) => (LETTER.test(text.charAt(at)) ? this.startTag('end', at) : this.enter(at, 'bogusComment')),
    markup: (text, at) => (text.charAt(at) === '-' ? this.enter(at + 1, 'markupDash') : this.enter(at, 'bogusComment')),
    markupDash: (text, at) => {
      if (text.charAt(at) !== '-') return this.enter(at, 'bogusComment');
      // The dashes of `<!--` may also be those of its end: `<!-->` is a comment.
      this.tail = '--';
      return this.enter(at + 1, 'comment');
    },
    comment: (text, at) => this.skipThrough({ pattern: COMMENT_END, overlap: 3, then: 'text' }, text, at),
    bogusComment: (text, at) => this.skipPast('>', text, at, 'text'),
    rawText: (text, at) => {
      const pattern = END_TAGS.get(this.element) ?? NEVER;
      // The rest of the end tag follows the match.
      this.isEndTag = true;
      return this.skipThrough({ pattern, overlap: this.element.length + 2, then: 'beforeAttribute' }, text, at);
    },
    plainText: (text) => text.length,
    tagName: (text, at) => {
      const end = search(END_OF_NAME, text, at);
      this.element = appendName(this.element, text, at, end);
      return end < text.length ? this.enter(end, 'beforeAttribute') : end;
    },
    beforeAttribute: (text, at) => {
      const next = text.charAt(at);
      if (next === '>') return this.endOfTag(at);
      if (next === '/' || SPACE.test(next)) return at + 1;
      this.attribute = next.toLowerCase();
      return this.enter(at + 1, 'attributeName');
    },
    attributeName: (text, at) => {
      const end = search(END_OF_ATTRIBUTE_NAME, text, at);
      this.attribute = appendName(this.attribute, text, at, end);
      return end < text.length ? this.enter(end, 'afterName') : end;
    },
    afterName: (text, at) => {
      const next = text.charAt(at);
      if (next === '=') return this.enter(at + 1, 'beforeValue');
      return SPACE.test(next) ? at + 1 : this.enter(at, 'beforeAttribute');
    },
    beforeValue: (text, at) => {
      const next = text.charAt(at);
      if (SPACE.test(next)) return at + 1;
      if (next === '>') return this.enter(at, 'beforeAttribute');
      this.quote = next === '"' || next === "'" ? next : '';
      this.isLink = !this.isEndTag && LINK_ATTRIBUTES.get(this.element)?.has(this.attribute) === true;
      return this.enter(at + this.quote.length, 'value');
    },
    value: (text, at) => {
      const index = this.quote === '' ? search(END_OF_UNQUOTED, text, at) : text.indexOf(this.quote, at);
      const end = index < 0 ? text.length : index;
      if (this.isLink) this.readLink(text, at, end);
      return end < text.length ? this.enter(end + this.quote.length, 'beforeAttribute') : end;
    },
  };

  private enter(at: number, state: State): number {
    this.state = state;
    return at;
  }

  private skipPast(last: string, text: string, at: number, then: State): number {
    const index = text.indexOf(last, at);
    return index < 0 ? text.length : this.enter(index + 1, then);
  }

  /** Skips to the end of what the pattern matches. */
  private skipThrough({ pattern, overlap, then }: Terminator, text: string, at: number): number {
    const searched = this.tail + text.slice(at);
    const match = pattern.exec(searched);
    if (match === null) {
      this.tail = searched.slice(-overlap);
      return text.length;
    }
    const end = at + match.index + match[0].length - this.tail.length;
    this.tail = '';
    return this.enter(end, then);
  }

  private startTag(kind: 'start' | 'end', at: number): number {
    this.element = '';
    this.isEndTag = kind === 'end';
    return this.enter(at, 'tagName');
  }

  private endOfTag(at: number): number {
    this.tail = '';
    if (this.isEndTag) return this.enter(at + 1, 'text');
    if (this.element === 'plaintext') return this.enter(at + 1, 'plainText');
    return this.enter(at + 1, END_TAGS.has(this.element) ? 'rawText' : 'text');
  }

  /**
   * Moves the part of a link in this piece from the unchanged text to `link`, and rewrites the link when it is
   * complete.
   */
  private readLink(text: string, at: number, end: number): void {
    this.output += text.slice(this.copiedUntil, at);
    this.copiedUntil = end;
    this.link += text.slice(at, end);
    if (end === text.length && this.link.length <= MAX_LINK) return;
    this.output += rewriteValue(this.link, this.rewrite);
    this.link = '';
    this.isLink = false;
  }
}

/** The index of the first match of a global pattern from `at` on; the length of the text when there is none. */
function search(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.index ?? text.length;
}

/** Appends a part of the text to a name, in lower case; beyond {@link MAX_NAME} characters the name is not continued. */
const appendName = (name: string, text: string, at: number, end: number): string =>
  name.length > MAX_NAME ? name : (name + text.slice(at, Math.min(end, at + MAX_NAME + 1))).toLowerCase();

const REFERENCES: ReadonlyMap<string, string> = new Map([
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
 * outside of ASCII. A value without them is taken whole.
 */
const UNUSUAL = /[^\x21\x22\x24\x25\x27-\x3e\x40-\x7f]/;
/** An ASCII character, or a character reference. */
const CHARACTER = /&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]+));|[\x00-\x25\x27-\x7f]/iy;

/** Rewrites an attribute value as it is written in the page. Only its plain beginning changes. */
function rewriteValue(value: string, rewrite: (link: string) => string | undefined): string {
  const { link, length } = plainStart(value);
  const rewritten = rewrite(link);
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
  for (CHARACTER.lastIndex = 0; length < value.length; length = CHARACTER.lastIndex) {
    const match = CHARACTER.exec(value);
    const character = match === null ? undefined : characterOf(match);
    if (character === undefined || character === '?' || character === '#') break;
    if (!SPACE.test(character)) link += character;
    else if (link !== '') break;
  }
  return { link, length };
}

function characterOf([whole, decimal, hex, name]: RegExpExecArray): string | undefined {
  if (name !== undefined) return REFERENCES.get(name);
  if (decimal === undefined && hex === undefined) return whole;
  const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
  return code > 0 && code < 0x80 ? String.fromCharCode(code) : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
