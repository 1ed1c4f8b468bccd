/**
 * Rewrites the links of an HTML page that arrives in pieces: finds the attribute values that are links and replaces
 * the beginning of each (link-value.ts). All other bytes are copied unchanged. Works on latin1 text, which preserves the
 * bytes of every encoding that contains ASCII. Buffers at most one link: {@link MAX_LINK} characters and one piece.
 */
import { rewriteLinkValue } from './link-value';

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

/** The beginning of the end tag of each of these elements: `</script` and the character after it, which is not consumed. */
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
/** The first character after a tag name, an attribute name and an unquoted value. */
const END_OF_NAME = /[\t\n\f\r />]/g;
const END_OF_ATTRIBUTE_NAME = /[\t\n\f\r />=]/g;
const END_OF_UNQUOTED = /[\t\n\f\r >]/g;
/** `-->`, or `--!>`, which ends a comment too. */
const COMMENT_END = /--!?>/;

/** The end of a comment or of raw text. */
interface Terminator {
  readonly pattern: RegExp;
  /** Maximum number of characters of a match that may be in earlier pieces. */
  readonly overlap: number;
  /** The state after the match. */
  readonly nextState: State;
}

/** Rewrites one page: the pieces of its text in order, then the end. */
export class LinkRewriter {
  private state: State = 'text';
  /** The current tag: its element, and whether it is an end tag. */
  private element = '';
  private isEndTag = false;
  /** The current attribute: its name, the quote of its value (empty for none), and whether the value is a link. */
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

  /** `rewriteLink` returns the new beginning of a link, or `undefined` to keep it. */
  constructor(private readonly rewriteLink: (link: string) => string | undefined) {}

  /** Returns the output for the text; a link that may continue in the next piece is held back. */
  write(text: string): string {
    this.output = '';
    this.copiedUntil = 0;
    let position = 0;
    while (position < text.length) position = this.steps[this.state](text, position);
    return this.output + text.slice(this.copiedUntil);
  }

  /** Returns the text that is held back when the page ends within a link. */
  end(): string {
    return this.isLink ? this.link : '';
  }

  /** Each step reads the text from a position and returns the position where the next step continues. */
  private readonly steps: Readonly<Record<State, (text: string, position: number) => number>> = {
    text: (text, position) => this.skipPast('<', text, position, 'open'),
    open: (text, position) => {
      const next = text.charAt(position);
      if (next === '/') return this.enter(position + 1, 'endOpen');
      if (next === '!') return this.enter(position + 1, 'markup');
      if (LETTER.test(next)) return this.startTag('start', position);
      return this.enter(position, next === '?' ? 'bogusComment' : 'text');
    },
    endOpen: (text, position) =>
      LETTER.test(text.charAt(position)) ? this.startTag('end', position) : this.enter(position, 'bogusComment'),
    markup: (text, position) =>
      text.charAt(position) === '-' ? this.enter(position + 1, 'markupDash') : this.enter(position, 'bogusComment'),
    markupDash: (text, position) => {
      if (text.charAt(position) !== '-') return this.enter(position, 'bogusComment');
      // The dashes of `<!--` may also be those of its end: `<!-->` is a comment.
      this.tail = '--';
      return this.enter(position + 1, 'comment');
    },
    comment: (text, position) => this.skipThrough({ pattern: COMMENT_END, overlap: 3, nextState: 'text' }, text, position),
    bogusComment: (text, position) => this.skipPast('>', text, position, 'text'),
    rawText: (text, position) => {
      const pattern = END_TAGS.get(this.element) ?? NEVER;
      // The rest of the end tag follows the match.
      this.isEndTag = true;
      return this.skipThrough({ pattern, overlap: this.element.length + 2, nextState: 'beforeAttribute' }, text, position);
    },
    plainText: (text) => text.length,
    tagName: (text, position) => {
      const end = search(END_OF_NAME, text, position);
      this.element = appendName(this.element, text, position, end);
      return end < text.length ? this.enter(end, 'beforeAttribute') : end;
    },
    beforeAttribute: (text, position) => {
      const next = text.charAt(position);
      if (next === '>') return this.endOfTag(position);
      if (next === '/' || SPACE.test(next)) return position + 1;
      this.attribute = next.toLowerCase();
      return this.enter(position + 1, 'attributeName');
    },
    attributeName: (text, position) => {
      const end = search(END_OF_ATTRIBUTE_NAME, text, position);
      this.attribute = appendName(this.attribute, text, position, end);
      return end < text.length ? this.enter(end, 'afterName') : end;
    },
    afterName: (text, position) => {
      const next = text.charAt(position);
      if (next === '=') return this.enter(position + 1, 'beforeValue');
      return SPACE.test(next) ? position + 1 : this.enter(position, 'beforeAttribute');
    },
    beforeValue: (text, position) => {
      const next = text.charAt(position);
      if (SPACE.test(next)) return position + 1;
      if (next === '>') return this.enter(position, 'beforeAttribute');
      this.quote = next === '"' || next === "'" ? next : '';
      this.isLink = !this.isEndTag && LINK_ATTRIBUTES.get(this.element)?.has(this.attribute) === true;
      return this.enter(position + this.quote.length, 'value');
    },
    value: (text, position) => {
      const index = this.quote === '' ? search(END_OF_UNQUOTED, text, position) : text.indexOf(this.quote, position);
      const end = index < 0 ? text.length : index;
      if (this.isLink) this.readLink(text, position, end);
      return end < text.length ? this.enter(end + this.quote.length, 'beforeAttribute') : end;
    },
  };

  /** Sets the next state, which continues at the position. */
  private enter(position: number, state: State): number {
    this.state = state;
    return position;
  }

  /** Skips to the position after the character `last`. */
  private skipPast(last: string, text: string, position: number, nextState: State): number {
    const index = text.indexOf(last, position);
    return index < 0 ? text.length : this.enter(index + 1, nextState);
  }

  /** Skips to the end of what the pattern matches. */
  private skipThrough({ pattern, overlap, nextState }: Terminator, text: string, position: number): number {
    const searched = this.tail + text.slice(position);
    const match = pattern.exec(searched);
    if (match === null) {
      this.tail = searched.slice(-overlap);
      return text.length;
    }
    const end = position + match.index + match[0].length - this.tail.length;
    this.tail = '';
    return this.enter(end, nextState);
  }

  private startTag(kind: 'start' | 'end', position: number): number {
    this.element = '';
    this.isEndTag = kind === 'end';
    return this.enter(position, 'tagName');
  }

  private endOfTag(position: number): number {
    this.tail = '';
    if (this.isEndTag) return this.enter(position + 1, 'text');
    if (this.element === 'plaintext') return this.enter(position + 1, 'plainText');
    return this.enter(position + 1, END_TAGS.has(this.element) ? 'rawText' : 'text');
  }

  /**
   * Moves the part of a link in this piece from the unchanged text to `link`, and rewrites the link when it is
   * complete.
   */
  private readLink(text: string, position: number, end: number): void {
    this.output += text.slice(this.copiedUntil, position);
    this.copiedUntil = end;
    this.link += text.slice(position, end);
    if (end === text.length && this.link.length <= MAX_LINK) return;
    this.output += rewriteLinkValue(this.link, this.rewriteLink);
    this.link = '';
    this.isLink = false;
  }
}

/** The index of the first match of a global pattern from `position` on; the length of the text when there is none. */
function search(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  return pattern.exec(text)?.index ?? text.length;
}

/** Appends a part of the text to a name, in lower case; beyond {@link MAX_NAME} characters the name is not continued. */
const appendName = (name: string, text: string, position: number, end: number): string =>
  name.length > MAX_NAME ? name : (name + text.slice(position, Math.min(end, position + MAX_NAME + 1))).toLowerCase();
