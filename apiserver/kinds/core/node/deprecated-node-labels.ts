/** Warns about deprecated node labels in selectors, affinities and topology keys. */
import { quote } from '../../../../shared/values/text/quote';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type { CoreV1NodeSelector, CoreV1NodeSelectorTerm } from '../../../../shared/api/types/generated/members';

/** Both names are canonical. */
const DEPRECATED_LABELS: readonly (readonly [old: string, newer: string, since?: string])[] = [
  ['beta.platform.io/os', 'platform.io/os', 'v1.14'],
  ['beta.platform.io/arch', 'platform.io/arch', 'v1.14'],
  ['failure-domain.beta.platform.io/zone', 'topology.platform.io/zone', 'v1.17'],
  ['failure-domain.beta.platform.io/region', 'topology.platform.io/region', 'v1.17'],
  ['beta.platform.io/instance-type', 'node.platform.io/instance-type', 'v1.17'],
  ['node-role.platform.io/master', 'node-role.platform.io/control-plane'],
];
const PRODUCT = 'platform.io';

/** Deprecated labels among the keys with the advice to give, in the order of the table above. */
export function findDeprecatedNodeLabels(keys: readonly string[]): readonly (readonly [key: string, advice: string])[] {
  const canonical = keys.map((key) => [key, canonicalQualifiedName(key)] as const);
  return DEPRECATED_LABELS.flatMap((label) =>
    canonical.flatMap(([key, name]) => (name === label[0] ? [[key, replacementAdvice(key, label)] as const] : [])),
  );
}

/** The replacement is spelled in the dialect of the key. */
function replacementAdvice(key: string, [old, newer, since]: (typeof DEPRECATED_LABELS)[number]): string {
  const spelled = key.slice(old.indexOf(PRODUCT), key.indexOf('/'));
  const advice = `use ${quote(newer.replace(PRODUCT, spelled))} instead`;
  return since === undefined ? advice : `deprecated since ${since}; ${advice}`;
}

export function warnOfNodeLabel(key: string, field: string, warnings: string[]): void {
  for (const [, advice] of findDeprecatedNodeLabels([key])) warnings.push(`${field}: ${key} is ${advice}`);
}

export function warnOfNodeSelectorTerm(
  term: Pick<CoreV1NodeSelectorTerm, 'matchExpressions'> | undefined,
  fieldPath: string,
  warnings: string[],
): void {
  term?.matchExpressions?.forEach(({ key = '' }, index) => warnOfNodeLabel(key, `${fieldPath}.matchExpressions[${index}].key`, warnings));
}

export function warnOfNodeSelector(selector: CoreV1NodeSelector | undefined, fieldPath: string, warnings: string[]): void {
  selector?.nodeSelectorTerms?.forEach((term, index) => warnOfNodeSelectorTerm(term, `${fieldPath}.nodeSelectorTerms[${index}]`, warnings));
}
