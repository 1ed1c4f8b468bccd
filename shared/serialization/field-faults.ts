/** Unknown and repeated members of a body in upstream's words and order, for `fieldValidation`. */
import { walkMembers } from './json-walk';
import type { Parsed } from './strict-json';

const MOST_FAULTS = 100;

/**
 * The faults of a body: `unknown field "spec.foo"`, `duplicate field "spec.type"` in order of appearance; for YAML the repeated keys first, as
 * one fault when `level` is `strict` (`yaml: unmarshal errors:\n  line 5: key "type" already set in map`) and one each when it is `warn`.
 * `unknown` are the paths that decodeObject found.
 */
export function fieldFaults(parsed: Parsed, unknown: readonly string[], level: 'strict' | 'warn'): string[] {
  const unknownFaults = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (parsed.duplicates.length === 0) return unknownFaults;
  if (parsed.format === 'yaml') {
    const repeated = level === 'warn' ? parsed.duplicates : [`yaml: unmarshal errors:\n  ${parsed.duplicates.join('\n  ')}`];
    return [...repeated, ...unknownFaults];
  }
  return inOrder(parsed.text ?? '', new Set(unknown));
}

function inOrder(text: string, unknown: ReadonlySet<string>): string[] {
  const faults = new Set<string>();
  walkMembers(text, {
    member: (path, isRepeated) => {
      const where = path();
      // What is inside an unknown member does not count.
      const isUnknown = unknown.has(where);
      if (isUnknown) faults.add(`unknown field ${JSON.stringify(where)}`);
      else if (isRepeated) faults.add(`duplicate field ${JSON.stringify(where)}`);
      return isUnknown;
    },
  });
  return [...faults].slice(0, MOST_FAULTS);
}
