/** Completes descriptions: each source supplies what the sources before it lack. */
import { capitalize } from '../../../values/text/capitalize';
import type { Descriptions } from './descriptions';

/**
 * Adds, in place, the descriptions that only the client models (models.ts) have. `types` are the types of the tables
 * (`core.v1.PodStatus`).
 */
export function addModelDescriptions(models: Descriptions, types: Iterable<string>, descriptions: Descriptions): void {
  for (const type of types) {
    const model = modelNamesOf(type).find((name) => models[name] !== undefined);
    if (model !== undefined) descriptions[type] = { ...models[model], ...descriptions[type] };
  }
}

/**
 * Adds, in place, this repository's own descriptions where the packages have none. Those under `*` apply to every kind
 * that has the field. `types` are the generated rows of each type (tables.ts).
 */
export function addOwnDescriptions(
  additions: Descriptions,
  types: Readonly<Record<string, readonly string[]>>,
  descriptions: Descriptions,
): void {
  const commonTexts = additions['*'] ?? {};
  for (const [type, rows] of Object.entries(types)) {
    const existing = descriptions[type] ?? {};
    // The second word of a row is the name of the field.
    const members = new Set(rows.map((row) => row.split(' ')[1]));
    // Only the types of kinds describe `kind`.
    const common = existing['kind'] === undefined ? [] : Object.entries(commonTexts).filter(([member]) => members.has(member));
    descriptions[type] = { ...Object.fromEntries(common), ...existing };
  }
  for (const [type, texts] of Object.entries(additions)) if (type !== '*') descriptions[type] = { ...texts, ...descriptions[type] };
}

/**
 * The class names that a type may have: a class has its group in the name only when another class would have the same
 * name.
 */
function modelNamesOf(type: string): readonly string[] {
  const [group = '', version = '', name = ''] = type.split('.');
  return [`${capitalize(group)}${capitalize(version)}${name}`, `${capitalize(version)}${name}`];
}
