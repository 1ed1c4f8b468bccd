/**
 * Parses the query of a URL as upstream does: `+` is a space, pairs with a `;` or an invalid escape are dropped, and
 * the order is kept.
 */
import { decodePercent } from '../../../shared/values/text/percent';

/** In place of the names and values while they are not parsed; never changed. */
const UNPARSED: string[] = [];

/** The parsed query of one URL. Names may occur several times. */
export class Query {
  private names = UNPARSED;
  private values = UNPARSED;
  private isParsed = false;

  /** `text` without the leading `?`. */
  constructor(readonly text: string) {
    this.parse();
  }

  /** The first value of a parameter; `undefined` when it is absent, '' without a value. */
  get(name: string): string | undefined {
    this.parse();
    const index = this.names.indexOf(name);
    return index < 0 ? undefined : this.values[index];
  }

  /** Whether the parameter occurs, with or without a value. */
  has(name: string): boolean {
    this.parse();
    return this.names.includes(name);
  }

  /** All values of a parameter, in order. */
  getAll(name: string): string[] {
    this.parse();
    return this.values.filter((_, index) => this.names[index] === name);
  }

  /** Every text is valid: `false` (in any case) and `0` are false, all others true. `undefined` when absent. */
  boolean(name: string): boolean | undefined {
    const value = this.get(name);
    return value === undefined ? undefined : isTrue(value);
  }

  /** Frees the parameters until one is read again: most requests that take long have no more use for them. */
  release(): void {
    this.names = UNPARSED;
    this.values = UNPARSED;
    this.isParsed = false;
  }

  private parse(): void {
    if (this.isParsed) return;
    const { text } = this;
    this.isParsed = true;
    this.names = [];
    this.values = [];
    let start = 0;
    while (start < text.length) {
      let end = text.indexOf('&', start);
      if (end < 0) end = text.length;
      if (end > start) this.add(text.slice(start, end));
      start = end + 1;
    }
  }

  /** Adds the parameter of a pair, unless the pair is invalid. */
  private add(pair: string): void {
    if (pair.includes(';')) return;
    const equals = pair.indexOf('=');
    const name = unescape(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : unescape(pair.slice(equals + 1));
    if (name === undefined || value === undefined) return;
    this.names.push(name);
    this.values.push(value);
  }
}

/** A query without parameters, shared by all requests that have none. */
export const EMPTY_QUERY = new Query('');

function isTrue(value: string): boolean {
  return value !== '0' && (value.length !== 5 || value.toLowerCase() !== 'false');
}

function unescape(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? decodePercent(spaced) : spaced;
}
