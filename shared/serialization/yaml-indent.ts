/**
 * Upstream lets the lines of flow collections and quoted texts begin anywhere (`args: [`, and the closing bracket under the key); the parser wants them further in
 * than what they stand in. Lines that it refuses for that are moved to the right, where they mean the same. Knows nothing else of YAML.
 */
import type { YAMLException } from 'js-yaml';

/** Characters that may be read again because of lines that were moved one by one, or a multiple of the text's length if that is more. */
const READ_AGAIN = 256 * 1024;
const TIMES = 4;
const DEEPEST = 1000;

export class IndentedText {
  private again = 0;
  /** How far in a line must begin to stand in anything. */
  private wanted = 0;

  constructor(public text: string) {}

  /** Whether the text may be read again, because lines have been moved. */
  indent({ reason, mark }: YAMLException): boolean {
    if (mark === undefined || !reason.startsWith('deficient indentation')) return false;
    if (this.wanted === 0) {
      this.wanted = deepest(this.text) + 1;
      if (this.wanted > DEEPEST) return false;
      const before = this.text;
      this.text = withClosers(before, this.wanted);
      if (this.text !== before) return true;
    }
    this.again += mark.position;
    if (this.again > Math.max(READ_AGAIN, TIMES * this.text.length)) return false;
    const start = this.text.lastIndexOf('\n', mark.position - 1) + 1;
    const found = leading(this.text.slice(start, start + this.wanted), ' ');
    if (found >= this.wanted) return false;
    this.text = this.text.slice(0, start) + ' '.repeat(this.wanted - found) + this.text.slice(start);
    return true;
  }
}

function leading(line: string, characters: string): number {
  let count = 0;
  while (count < line.length && characters.includes(line.charAt(count))) count += 1;
  return count;
}

function deepest(text: string): number {
  let most = 0;
  for (const line of text.split('\n')) most = Math.max(most, leading(line, ' -?'));
  return most;
}

/** The usual case at once: lines of nothing but closing brackets, no further in than the line that ends with the opening one. Texts in blocks stay. */
function withClosers(text: string, wanted: number): string {
  const open: number[] = [];
  let block = Infinity;
  const lines = text.split('\n').map((line) => {
    const shown = line.trim();
    const indent = leading(line, ' ');
    if (shown === '' || indent > block) return line;
    block = /(?:^|\s)[|>]/.test(line) ? indent : Infinity;
    if (/^[\]},\s]+$/.test(shown)) {
      const from = open.at(-1);
      for (const character of shown) if (character === ']' || character === '}') open.pop();
      return from !== undefined && indent <= from ? ' '.repeat(wanted) + shown : line;
    }
    if (shown.endsWith('[') || shown.endsWith('{')) open.push(leading(line, ' -?'));
    return line;
  });
  return lines.join('\n');
}
