/**
 * Upstream lets the lines of flow collections and quoted texts begin anywhere (`args: [`, and the closing bracket under the key); the parser wants them further in
 * than what they stand in. Lines that it refuses for that are moved to the right, where they mean the same. Knows nothing else of YAML.
 */
import type { YAMLException } from 'js-yaml';

/** Characters that may be read again because of lines that were moved one by one, or a multiple of the text's length if that is more. */
const MIN_REREAD_BUDGET = 256 * 1024;
const REREAD_FACTOR = 4;
const MAX_INDENT = 1000;

export class IndentRepairer {
  private rereadCharacters = 0;
  /** How far in a line must begin to stand in anything. */
  private minIndent = 0;

  constructor(public text: string) {}

  /** Whether the text may be read again, because lines have been moved. */
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

function deepestIndent(text: string): number {
  let most = 0;
  for (const line of text.split('\n')) most = Math.max(most, countLeading(line, ' -?'));
  return most;
}

/** The usual case at once: lines of nothing but closing brackets, no further in than the line that ends with the opening one. Texts in blocks stay. */
function indentClosingBrackets(text: string, minIndent: number): string {
  const open: number[] = [];
  let block = Infinity;
  const lines = text.split('\n').map((line) => {
    const shown = line.trim();
    const indent = countLeading(line, ' ');
    if (shown === '' || indent > block) return line;
    block = /(?:^|\s)[|>]/.test(line) ? indent : Infinity;
    if (/^[\]},\s]+$/.test(shown)) {
      const from = open.at(-1);
      for (const character of shown) if (character === ']' || character === '}') open.pop();
      return from !== undefined && indent <= from ? ' '.repeat(minIndent) + shown : line;
    }
    if (shown.endsWith('[') || shown.endsWith('{')) open.push(countLeading(line, ' -?'));
    return line;
  });
  return lines.join('\n');
}
