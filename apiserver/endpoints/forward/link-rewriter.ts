/**
 * Rewrites the links of an HTML page that arrives in pieces: finds the values of attributes that are links and replaces the beginning of each, up to its query. All else is
 * passed on byte for byte. Works on latin1 text, so that every encoding which contains ASCII keeps its bytes; holds at most one link of {@link MAX_LINK} characters.
 */

type State =
  | 'text'
  | 'open'
  | 'endOpen'
  | 'markup'
  | 'comment'
  | 'bogusComment'
  | 'rawText'
  | 'plainText'
  | 'tagName'
  | 'beforeAttribute'
  | 'attributeName'
  | 'afterName'
  | 'beforeValue'
  | 'value';

/** Attributes whose values are links, by element: those that release 1.31.1 rewrites. */
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

/** Elements whose content is text up to their end tag. */
const RAW_TEXT = ['iframe', 'noembed', 'noframes', 'noscript', 'script', 'style', 'textarea', 'title', 'xmp'];

const END_TAGS: ReadonlyMap<string, RegExp> = new Map(
  RAW_TEXT.map((element) => [element, new RegExp(`</${element}(?=[\\t\\n\\f\\r />])`, 'i')]),
);

const NOTHING = /(?!)/;

/** Longer links are rewritten by their beginning. */
const MAX_LINK = 8_192;
/** No element or attribute of the table has a longer name. */
const MAX_NAME = 32;

const LETTER = /[a-z]/i;
const SPACE = /[\t\n\f\r ]/;
const END_OF_NAME = /[\t\n\f\r />]/g;
const END_OF_ATTRIBUTE_NAME = /[\t\n\f\r />=]/g;
const END_OF_UNQUOTED = /[\t\n\f\r >]/g;

export class LinkRewriter {
  private state: State = 'text';
  private element = '';
  private isEndTag = false;
  private attribute = '';
  private quote = '';
  private isLink = false;
  /** What earlier pieces had of the link that is being read. */
  private link = '';
  /** The last characters of a comment or of raw text, in which its end may have begun. */
  private tail = '';
  /** Of the present piece: what is rewritten, and where what is not in it yet begins. */
  private output = '';
  private kept = 0;

  /** `rewrite`: the new beginning of a link, `undefined` when it stays. */
  constructor(private readonly rewrite: (link: string) => string | undefined) {}

  /** The part of the page that is decided by now. */
  write(text: string): string {
    this.output = '';
    this.kept = 0;
    let at = 0;
    while (at < text.length) at = this.steps[this.state](text, at);
    return this.output + text.slice(this.kept);
  }

  /** The rest of a page that ends within a link. */
  end(): string {
    return this.isLink ? this.link : '';
  }

  /** Each reads the text from a position on and returns the position of what it leaves to the next state. */
  private readonly steps: Readonly<Record<State, (text: string, at: number) => number>> = {
    text: (text, at) => this.skipPast('<', text, at, 'open'),
    open: (text, at) => {
      const next = text.charAt(at);
      if (next === '/') return this.goOn(at + 1, 'endOpen');
      if (next === '!') return this.goOn(at + 1, 'markup');
      if (LETTER.test(next)) return this.startTag(at, false);
      return this.goOn(at, next === '?' ? 'bogusComment' : 'text');
    },
    endOpen: (text, at) => (LETTER.test(text.charAt(at)) ? this.startTag(at, true) : this.goOn(at, 'bogusComment')),
    markup: (text, at) => {
      if (text.charAt(at) !== '-') {
        this.tail = '';
        return this.goOn(at, 'bogusComment');
      }
      this.tail += '-';
      return this.goOn(at + 1, this.tail === '--' ? 'comment' : 'markup');
    },
    comment: (text, at) => this.skipThrough(/--!?>/, 3, text, at, 'text'),
    bogusComment: (text, at) => this.skipPast('>', text, at, 'text'),
    rawText: (text, at) => this.skipThrough(END_TAGS.get(this.element) ?? NOTHING, this.element.length + 2, text, at, 'beforeAttribute'),
    plainText: (text) => text.length,
    tagName: (text, at) => {
      const end = search(END_OF_NAME, text, at);
      this.element = longer(this.element, text, at, end);
      return end < text.length ? this.goOn(end, 'beforeAttribute') : end;
    },
    beforeAttribute: (text, at) => {
      const next = text.charAt(at);
      if (next === '>') return this.endOfTag(at);
      if (next === '/' || SPACE.test(next)) return at + 1;
      this.attribute = next.toLowerCase();
      return this.goOn(at + 1, 'attributeName');
    },
    attributeName: (text, at) => {
      const end = search(END_OF_ATTRIBUTE_NAME, text, at);
      this.attribute = longer(this.attribute, text, at, end);
      return end < text.length ? this.goOn(end, 'afterName') : end;
    },
    afterName: (text, at) => {
      const next = text.charAt(at);
      if (next === '=') return this.goOn(at + 1, 'beforeValue');
      return SPACE.test(next) ? at + 1 : this.goOn(at, 'beforeAttribute');
    },
    beforeValue: (text, at) => {
      const next = text.charAt(at);
      if (SPACE.test(next)) return at + 1;
      if (next === '>') return this.goOn(at, 'beforeAttribute');
      this.quote = next === '"' || next === "'" ? next : '';
      this.isLink = !this.isEndTag && LINK_ATTRIBUTES.get(this.element)?.has(this.attribute) === true;
      return this.goOn(at + this.quote.length, 'value');
    },
    value: (text, at) => {
      const found = this.quote === '' ? search(END_OF_UNQUOTED, text, at) : text.indexOf(this.quote, at);
      const end = found < 0 ? text.length : found;
      if (this.isLink) this.readLink(text, at, end);
      return end < text.length ? this.goOn(end + this.quote.length, 'beforeAttribute') : end;
    },
  };

  private goOn(at: number, state: State): number {
    this.state = state;
    return at;
  }

  private skipPast(last: string, text: string, at: number, then: State): number {
    const found = text.indexOf(last, at);
    return found < 0 ? text.length : this.goOn(found + 1, then);
  }

  /** The pattern may have begun in an earlier piece, with up to `overlap` characters. */
  private skipThrough(pattern: RegExp, overlap: number, text: string, at: number, then: State): number {
    const searched = this.tail + text.slice(at);
    const found = pattern.exec(searched);
    if (found === null) {
      this.tail = searched.slice(-overlap);
      return text.length;
    }
    const end = at + found.index + found[0].length - this.tail.length;
    this.tail = '';
    this.isEndTag = true;
    return this.goOn(end, then);
  }

  private startTag(at: number, isEndTag: boolean): number {
    this.element = '';
    this.isEndTag = isEndTag;
    return this.goOn(at, 'tagName');
  }

  private endOfTag(at: number): number {
    this.tail = '';
    if (this.isEndTag) return this.goOn(at + 1, 'text');
    if (this.element === 'plaintext') return this.goOn(at + 1, 'plainText');
    return this.goOn(at + 1, END_TAGS.has(this.element) ? 'rawText' : 'text');
  }

  /** Takes a link, or the part of it that this piece has, out of what is kept as it is. */
  private readLink(text: string, at: number, end: number): void {
    this.output += text.slice(this.kept, at);
    this.kept = end;
    this.link += text.slice(at, end);
    if (end === text.length && this.link.length <= MAX_LINK) return;
    this.output += rewriteValue(this.link, this.rewrite);
    this.link = '';
    this.isLink = false;
  }
}

function search(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.index ?? text.length;
}

/** A name with what follows of it, as far as it matters. */
const longer = (name: string, text: string, at: number, end: number): string =>
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

/** A value without any of these is plain from beginning to end. */
const UNUSUAL = /[^\x21\x22\x24\x25\x27-\x3e\x40-\x7f]/;
/** A character of ASCII, or a reference to one. */
const CHARACTER = /&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]+));|[\x00-\x25\x27-\x7f]/iy;

/** The value of an attribute, as it stands in the page. Only its plain beginning is rewritten, so that all else keeps its form. */
function rewriteValue(value: string, rewrite: (link: string) => string | undefined): string {
  const { link, length } = plainStart(value);
  const rewritten = rewrite(link);
  return rewritten === undefined ? value : escape(rewritten) + value.slice(length);
}

/** The link up to its query, a space or what is not ASCII, without references, and how long it is in the page. */
function plainStart(value: string): { readonly link: string; readonly length: number } {
  if (!UNUSUAL.test(value)) return { link: value, length: value.length };
  let [link, length] = ['', 0];
  for (CHARACTER.lastIndex = 0; length < value.length; length = CHARACTER.lastIndex) {
    const found = CHARACTER.exec(value);
    const character = found === null ? undefined : characterOf(found);
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
