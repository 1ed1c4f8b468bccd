/** Unknown and repeated members of a body in upstream's words and order, for `fieldValidation`. */
import { FaultList } from './fault-list';
import { stepText, walkMembers } from './json-walk';
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
  return inOrder(parsed.text ?? '', unknown);
}

function inOrder(text: string, unknown: readonly string[]): string[] {
  const faults = new FaultList();
  const top = new Paths(unknown, true);
  const open: (Paths | undefined)[] = [];
  walkMembers(text, {
    member: (path, key, isRepeated) => {
      // What is inside an unknown member does not count.
      if (open.at(-1)?.has(key) === true) return faults.add(`unknown field ${JSON.stringify(path())}`) ?? 'skip';
      return isRepeated ? faults.add(`duplicate field ${JSON.stringify(path())}`) : undefined;
    },
    open: (key) => void open.push(key === undefined ? top : open.at(-1)?.below(key)),
    close: () => void open.pop(),
  });
  return faults.texts;
}

/** Texts of paths, from some place on. Knows what lies below each step that was asked for, so that repeating it costs nothing. */
class Paths {
  private readonly rests: ReadonlySet<string>;
  private readonly known = new Map<string, Paths | undefined>();

  constructor(
    rests: readonly string[],
    private readonly isTop = false,
  ) {
    this.rests = new Set(rests);
  }

  has(key: string): boolean {
    return this.rests.has(stepText(key, this.isTop));
  }

  /** Undefined when no path leads there. */
  below(key: string | number): Paths | undefined {
    const step = stepText(key, this.isTop);
    if (!this.known.has(step)) {
      const rests = [...this.rests]
        .filter((rest) => rest.length > step.length && rest.startsWith(step))
        .map((rest) => rest.slice(step.length));
      if (rests.length === 0) return undefined;
      this.known.set(step, new Paths(rests));
    }
    return this.known.get(step);
  }
}
