/**
 * Repairs the indentation of texts that js-yaml rejects and upstream accepts. Upstream allows any indentation of lines
 * in flow collections and quoted scalars: for example `args: [` with the closing bracket below the key. js-yaml requires
 * such lines to be indented further than the line of their parent. The rejected lines are indented further, which does
 * not change their meaning.
 */
import type { YAMLException } from 'js-yaml';

/**
 * Each repaired line makes the parser read the text again up to that line. This many characters may be read again, or a
 * multiple of the length of the text if that is more.
 */
const MIN_REREAD_BUDGET = 256 * 1024;
const REREAD_FACTOR = 4;
/** Texts with deeper indentation are not repaired: each repaired line would become as long. */
const MAX_INDENT = 1000;

/** Used for one text, together with the parser that fails on it. */
export class IndentRepairer {
  private rereadCharacters = 0;
  /** More than the indentation of any line; 0 until it is computed. */
  private minIndent = 0;

  constructor(public text: string) {}

  /** Returns whether the text was changed and should be parsed again. */
  repair({ reason, mark }: YAMLException): boolean {
    if (mark === undefined || !reason.startsWith('deficient indentation')) return false;
    if (this.minIndent === 0) {
      this.minIndent = deepestIndent(this.text) + 1;
      if (this.minIndent > MAX_INDENT) return false;
      const before = this.text;
      this.text = indentClosingBrackets(before, this.minIndent);
      if (this.text !== before) return true;
    }
    this.rereadCharacters += mark.position;
    if (this.rereadCharacters > Math.max(MIN_REREAD_BUDGET, REREAD_FACTOR * this.text.length)) return false;
    const start = this.text.lastIndexOf('\n', mark.position - 1) + 1;
    const currentIndent = countLeading(this.text.slice(start, start + this.minIndent), ' ');
    if (currentIndent >= this.minIndent) return false;
    this.text = this.text.slice(0, start) + ' '.repeat(this.minIndent - currentIndent) + this.text.slice(start);
    return true;
  }
}

function countLeading(line: string, characters: string): number {
  let count = 0;
  while (count < line.length && characters.includes(line.charAt(count))) count += 1;
  return count;
}

/** The deepest indentation of a line. The indicators `-` and `?` before an item or key count as indentation. */
function deepestIndent(text: string): number {
  let deepest = 0;
  for (const line of text.split('\n')) deepest = Math.max(deepest, countLeading(line, ' -?'));
  return deepest;
}

/**
 * Repairs the common case in one pass: lines of closing brackets that are indented no further than the line that ends
 * with the opening one. Block scalars are left unchanged.
 */
function indentClosingBrackets(text: string, minIndent: number): string {
  /** The indents of the lines that end with an opening bracket that has not been closed yet. */
  const openIndents: number[] = [];
  /** The indent of the line with the indicator of the current block scalar; its content is indented further. */
  let blockIndent = Infinity;
  const lines = text.split('\n').map((line) => {
    const content = line.trim();
    const indent = countLeading(line, ' ');
    if (content === '' || indent > blockIndent) return line;
    blockIndent = /(?:^|\s)[|>]/.test(line) ? indent : Infinity;
    if (/^[\]},\s]+$/.test(content)) {
      const openIndent = openIndents.at(-1);
      for (const character of content) if (character === ']' || character === '}') openIndents.pop();
      return openIndent !== undefined && indent <= openIndent ? ' '.repeat(minIndent) + content : line;
    }
    if (content.endsWith('[') || content.endsWith('{')) openIndents.push(countLeading(line, ' -?'));
    return line;
  });
  return lines.join('\n');
}
