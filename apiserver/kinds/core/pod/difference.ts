/** How two specs differ, for people: the members that are not the same, before and after. Bounded, because clients choose what stands in them. */
import { capitalize } from '../../../../shared/values/capitalize';
import { equalJson, own, stringifyJson, type JsonObject } from '../../../../shared/values/json';

const MOST_MEMBERS = 8;
const LONGEST_VALUE = 400;

export function specDifference(spec: JsonObject, before: JsonObject): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(spec)])].sort();
  const different = names.filter((name) => !equalJson(own(spec, name), own(before, name)));
  const lines = different.slice(0, MOST_MEMBERS).flatMap((name) => [`- \t${shown(name, before)},`, `+ \t${shown(name, spec)},`]);
  if (different.length > MOST_MEMBERS) lines.push(`  \t... // ${different.length - MOST_MEMBERS} more`);
  return ['  core.PodSpec{', '  \t... // identical fields', ...lines, '  }', ''].join('\n');
}

function shown(name: string, spec: JsonObject): string {
  const value = own(spec, name);
  const text = value === undefined ? 'nil' : stringifyJson(value, 'sorted');
  return `${capitalize(name)}: ${text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}...` : text}`;
}
