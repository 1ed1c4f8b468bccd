/** Unknown and repeated members of a body in upstream's words and order, for `fieldValidation`. */
import { formatPathElement } from '../values/field-path';
import { FaultList } from './fault-list';
import { walkMembers } from './json-walk';
import type { ParsedText } from './strict-json';

/**
 * The faults of a body: `unknown field "spec.foo"`, `duplicate field "spec.type"` in order of appearance; for YAML the repeated keys first, as
 * one fault when `level` is `strict` (`yaml: unmarshal errors:\n  line 5: key "type" already set in map`) and one each when it is `warn`.
 * `unknown` are the paths that decodeObject found.
 */
export function fieldFaults(parsed: ParsedText, unknown: readonly string[], level: 'strict' | 'warn'): string[] {
  const unknownFaults = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (parsed.duplicates.length === 0) return unknownFaults;
  if (parsed.format === 'yaml') {
    const repeated = level === 'warn' ? parsed.duplicates : [`yaml: unmarshal errors:\n  ${parsed.duplicates.join('\n  ')}`];
    return [...repeated, ...unknownFaults];
  }
  return faultsInTextOrder(parsed.text ?? '', unknown);
}

function faultsInTextOrder(text: string, unknown: readonly string[]): string[] {
  const faults = new FaultList();
  const top = UnknownPaths.fromPaths(unknown);
  const open: (UnknownPaths | undefined)[] = [];
  walkMembers(text, {
    member: (path, key, isRepeated) => {
      // What is inside an unknown member does not count.
      if (open.at(-1)?.child(key)?.isUnknown === true) return faults.add(`unknown field ${JSON.stringify(path())}`) ?? 'skip';
      return isRepeated ? faults.add(`duplicate field ${JSON.stringify(path())}`) : undefined;
    },
    open: (key) => void open.push(key === undefined ? top : open.at(-1)?.child(key)),
    close: () => void open.pop(),
  });
  return faults.texts;
}

/**
 * The paths of unknown members that begin with one path: a range of the sorted paths. A step narrows the range by binary search and compares only as many
 * characters as it has, so neither the number of unknown members nor the length of their paths multiplies the work for a body's members.
 */
class UnknownPaths {
  /** `length` = characters that the paths from `from` up to `to` have in common. */
  private constructor(
    private readonly sorted: readonly string[],
    private readonly from: number,
    private readonly to: number,
    private readonly length: number,
  ) {}

  static fromPaths(unknown: readonly string[]): UnknownPaths {
    return new UnknownPaths([...unknown].sort(), 0, unknown.length, 0);
  }

  /** Whether the common path is itself that of an unknown member. */
  get isUnknown(): boolean {
    return this.sorted[this.from]?.length === this.length;
  }

  /** Undefined when no path leads there. */
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

  /** The first path of the range whose next `length` characters are what is looked for; `to` when there is none. */
  private findFirst(matches: (text: string) => boolean, length: number): number {
    let [low, high] = [this.from, this.to];
    // Most steps that lead on leave the range as it is.
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
