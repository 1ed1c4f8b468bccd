/**
 * Formats the difference between two Pod specs for an error message: old and new values of the changed members. The
 * output is bounded, because clients choose the contents.
 */
import { capitalize } from '../../../../shared/values/text/capitalize';
import { equalJson, ownMember, stringifyJson, type JsonObject } from '../../../../shared/values/json';

const MAX_MEMBERS = 8;
const MAX_VALUE_LENGTH = 400;

export function formatPodSpecDiff(spec: JsonObject, before: JsonObject): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(spec)])].sort();
  const different = names.filter((name) => !equalJson(ownMember(spec, name), ownMember(before, name)));
  const lines = different.slice(0, MAX_MEMBERS).flatMap((name) => [`- \t${shown(name, before)},`, `+ \t${shown(name, spec)},`]);
  if (different.length > MAX_MEMBERS) lines.push(`  \t... // ${different.length - MAX_MEMBERS} more`);
  return ['  core.PodSpec{', '  \t... // identical fields', ...lines, '  }', ''].join('\n');
}

function shown(name: string, spec: JsonObject): string {
  const value = ownMember(spec, name);
  const text = value === undefined ? 'nil' : stringifyJson(value, 'sorted');
  return `${capitalize(name)}: ${text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}...` : text}`;
}
