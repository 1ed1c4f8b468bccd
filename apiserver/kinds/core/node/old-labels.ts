/** Labels of nodes that have a newer name, and what is said of them wherever somebody asks for one. */
import { quote } from '../../../../shared/values/quote';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type { CoreV1NodeSelectorTerm } from '../../../../shared/api/types/generated/members';

/** Both in the canonical spelling. */
const OLD_LABELS: readonly (readonly [old: string, newer: string, since?: string])[] = [
  ['beta.platform.io/os', 'platform.io/os', 'v1.14'],
  ['beta.platform.io/arch', 'platform.io/arch', 'v1.14'],
  ['failure-domain.beta.platform.io/zone', 'topology.platform.io/zone', 'v1.17'],
  ['failure-domain.beta.platform.io/region', 'topology.platform.io/region', 'v1.17'],
  ['beta.platform.io/instance-type', 'node.platform.io/instance-type', 'v1.17'],
  ['node-role.platform.io/master', 'node-role.platform.io/control-plane'],
];
const PRODUCT = 'platform.io';

/** What is to be said of a label; undefined = nothing. The newer name is spelled as the older one was. */
export function oldLabelAdvice(key: string): string | undefined {
  if (!key.includes('/')) return undefined;
  const canonical = canonicalQualifiedName(key);
  const known = OLD_LABELS.find(([old]) => old === canonical);
  if (known === undefined) return undefined;
  const [old, newer, since] = known;
  const spelled = key.slice(old.indexOf(PRODUCT), key.indexOf('/'));
  const advice = `use ${quote(newer.replace(PRODUCT, spelled))} instead`;
  return since === undefined ? advice : `deprecated since ${since}; ${advice}`;
}

/** In the order of the table above. */
export function oldLabelsOf(labels: Readonly<Record<string, string>> | undefined): readonly (readonly [key: string, advice: string])[] {
  const place = (key: string): number => OLD_LABELS.findIndex(([old]) => old === canonicalQualifiedName(key));
  const found = Object.keys(labels ?? {}).flatMap((key) => {
    const advice = oldLabelAdvice(key);
    return advice === undefined ? [] : [[key, advice] as const];
  });
  return found.sort(([one], [other]) => place(one) - place(other));
}

/** Of the key that stands at `field`. */
export function warnOfKey(key: string, field: string, warnings: string[]): void {
  const advice = oldLabelAdvice(key);
  if (advice !== undefined) warnings.push(`${field}: ${key} is ${advice}`);
}

export function warnOfNodeSelectorTerm(
  term: Pick<CoreV1NodeSelectorTerm, 'matchExpressions'> | undefined,
  place: string,
  warnings: string[],
): void {
  term?.matchExpressions?.forEach(({ key = '' }, index) => warnOfKey(key, `${place}.matchExpressions[${index}].key`, warnings));
}
