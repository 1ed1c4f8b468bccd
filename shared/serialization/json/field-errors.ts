/**
 * Formats unknown and duplicate fields of a body for `fieldValidation`, with the messages of upstream in the same
 * order.
 */
import { formatPathElement } from '../../values/field-path';
import { FieldErrorList } from './field-error-list';
import { walkMembers } from './json-walk';
import type { ParsedText } from './strict-json';

/**
 * For JSON: `unknown field "spec.foo"` and `duplicate field "spec.type"` in order of appearance. For YAML: first the
 * duplicate keys, as one error when `level` is `strict`
 * (`yaml: unmarshal errors:\n  line 5: key "type" already set in map`) and one each when it is `warn`, then the unknown
 * fields.
 *
 * @param unknown the paths of unknown fields from decodeObject
 */
export function fieldErrors(parsed: ParsedText, unknown: readonly string[], level: 'strict' | 'warn'): string[] {
  const unknownErrors = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (parsed.duplicates.length === 0) return unknownErrors;
  if (parsed.format === 'yaml') {
    const repeated = level === 'warn' ? parsed.duplicates : [`yaml: unmarshal errors:\n  ${parsed.duplicates.join('\n  ')}`];
    return [...repeated, ...unknownErrors];
  }
  return errorsInTextOrder(parsed.text ?? '', unknown);
}

function errorsInTextOrder(text: string, unknown: readonly string[]): string[] {
  const errors = new FieldErrorList();
  const top = UnknownPaths.fromPaths(unknown);
  const open: (UnknownPaths | undefined)[] = [];
  walkMembers(text, {
    member: (path, key, occurrence) => {
      // Fields inside an unknown field are not reported. `add` returns 'stop' when the list is full.
      if (open.at(-1)?.child(key)?.isUnknown === true) return errors.add(`unknown field ${JSON.stringify(path())}`) ?? 'skip';
      return occurrence === 'repeated' ? errors.add(`duplicate field ${JSON.stringify(path())}`) : undefined;
    },
    open: (key) => void open.push(key === undefined ? top : open.at(-1)?.child(key)),
    close: () => void open.pop(),
  });
  return errors.texts;
}

/**
 * The unknown fields at or below one path: a range of the sorted paths. A step to a child narrows the range by binary
 * search and compares only the characters of that step. So the work per field of a body grows only with the logarithm of
 * the number of unknown fields, and not with the length of their paths.
 */
class UnknownPaths {
  /**
   * The range is from `from` up to, but not including, `to`, and is not empty unless there are no unknown fields at all.
   * Its paths have the first `length` characters in common.
   */
  private constructor(
    private readonly sorted: readonly string[],
    private readonly from: number,
    private readonly to: number,
    private readonly length: number,
  ) {}

  static fromPaths(unknown: readonly string[]): UnknownPaths {
    return new UnknownPaths([...unknown].sort(), 0, unknown.length, 0);
  }

  /** Whether the common path is itself that of an unknown field. */
  get isUnknown(): boolean {
    return this.sorted[this.from]?.length === this.length;
  }

  /** The unknown fields at or below the child; `undefined` when there are none. */
  child(key: string | number): UnknownPaths | undefined {
    const step = formatPathElement(key, this.length === 0);
    const from = this.findFirst((text) => text >= step, step.length);
    if (from === this.to || this.textAt(from, step.length) !== step) return undefined;
    return new UnknownPaths(
      this.sorted,
      from,
      this.findFirst((text) => text > step, step.length),
      this.length + step.length,
    );
  }

  /**
   * The index of the first path in the range with matching next `length` characters; `to` when there is none. `matches`
   * must be true for all paths after the first match, too.
   */
  private findFirst(matches: (text: string) => boolean, length: number): number {
    let low = this.from;
    let high = this.to;
    // Most steps do not narrow the range.
    if (matches(this.textAt(low, length))) return low;
    if (!matches(this.textAt(high - 1, length))) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (matches(this.textAt(middle, length))) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private textAt(index: number, length: number): string {
    return this.sorted[index]?.slice(this.length, this.length + length) ?? '';
  }
}
