/**
 * Collects distinct errors of the fields of a body in order of appearance, up to a limit. Formatting them is left to
 * field-errors.ts.
 */

/** Limit of distinct errors; a client chooses how many fields are wrong. */
const MAX_ERRORS = 100;
/** Limits the additions, repeated errors included, because clients choose how many there are. */
const MAX_ADDITIONS = 1000;

/** Keeps the first occurrence of each error. */
export class FieldErrorList {
  private readonly errors = new Set<string>();
  private additions = 0;

  /** The errors in order of their first appearance. */
  get texts(): string[] {
    return [...this.errors];
  }

  /** Returns `'stop'` when the limit is reached. */
  add(error: string): 'stop' | undefined {
    this.errors.add(error);
    this.additions += 1;
    return this.errors.size >= MAX_ERRORS || this.additions >= MAX_ADDITIONS ? 'stop' : undefined;
  }
}
