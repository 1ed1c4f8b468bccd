/** Completes what is said of types: each source fills what those before it leave out. Knows no texts. */
import { capitalize } from '../../../values/capitalize';
import type { Descriptions } from './descriptions';

/** What only the models say is added. `types` are those that there are (`core.v1.PodStatus`). */
export function fillFrom(models: Descriptions, types: Iterable<string>, descriptions: Descriptions): void {
  for (const type of types) {
    const model = modelsOf(type).find((name) => models[name] !== undefined);
    if (model !== undefined) descriptions[type] = { ...models[model], ...descriptions[type] };
  }
}

/** What nobody says is said in words of ours; under `*` stands what all kinds have. */
export function fillWith(own: Descriptions, types: Readonly<Record<string, readonly string[]>>, descriptions: Descriptions): void {
  const ofKinds = own['*'] ?? {};
  for (const [type, rows] of Object.entries(types)) {
    const said = descriptions[type] ?? {};
    const members = new Set(rows.map((row) => row.split(' ')[1]));
    const common = said['kind'] === undefined ? [] : Object.entries(ofKinds).filter(([member]) => members.has(member));
    descriptions[type] = { ...Object.fromEntries(common), ...said };
  }
  for (const [type, texts] of Object.entries(own)) if (type !== '*') descriptions[type] = { ...texts, ...descriptions[type] };
}

/** A class bears its group only where another one would have the same name. */
function modelsOf(type: string): readonly string[] {
  const [group = '', version = '', name = ''] = type.split('.');
  return [`${capitalize(group)}${capitalize(version)}${name}`, `${capitalize(version)}${name}`];
}
