/**
 * Warns about deprecated node labels in selectors, affinities and topology keys. Labels are recognized in either
 * dialect, and the replacement is spelled in the dialect of the label.
 */
import { quote } from '../../../../shared/values/text/quote';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type { CoreV1NodeSelector, CoreV1NodeSelectorTerm } from '../../../../shared/api/types/generated/members';

/** Both names are canonical. `since`: the release; absent when the warning names none. */
interface DeprecatedLabel {
  readonly name: string;
  readonly replacement: string;
  readonly since?: string;
}

const DEPRECATED_LABELS: readonly DeprecatedLabel[] = [
  { name: 'beta.platform.io/os', replacement: 'platform.io/os', since: 'v1.14' },
  { name: 'beta.platform.io/arch', replacement: 'platform.io/arch', since: 'v1.14' },
  { name: 'failure-domain.beta.platform.io/zone', replacement: 'topology.platform.io/zone', since: 'v1.17' },
  { name: 'failure-domain.beta.platform.io/region', replacement: 'topology.platform.io/region', since: 'v1.17' },
  { name: 'beta.platform.io/instance-type', replacement: 'node.platform.io/instance-type', since: 'v1.17' },
  { name: 'node-role.platform.io/master', replacement: 'node-role.platform.io/control-plane' },
];
/** The part of the canonical names that differs between the dialects. */
const PRODUCT = 'platform.io';

/** The deprecated labels among the keys with the advice to give, in the order of the table above. */
export function findDeprecatedNodeLabels(keys: readonly string[]): readonly { readonly key: string; readonly advice: string }[] {
  const deprecated: { readonly key: string; readonly advice: string }[] = [];
  const canonicalKeys = keys.map((key) => ({ key, canonicalKey: canonicalQualifiedName(key) }));
  for (const label of DEPRECATED_LABELS) {
    for (const { key, canonicalKey } of canonicalKeys) {
      if (canonicalKey === label.name) deprecated.push({ key, advice: replacementAdvice(key, label) });
    }
  }
  return deprecated;
}

/** The replacement is spelled in the dialect of the key. */
function replacementAdvice(key: string, { name, replacement, since }: DeprecatedLabel): string {
  const productInKey = key.slice(name.indexOf(PRODUCT), key.indexOf('/'));
  const advice = `use ${quote(replacement.replace(PRODUCT, productInKey))} instead`;
  return since === undefined ? advice : `deprecated since ${since}; ${advice}`;
}

/** Adds a warning when the key is a deprecated label. */
export function warnOfNodeLabel(key: string, field: string, warnings: string[]): void {
  for (const { advice } of findDeprecatedNodeLabels([key])) warnings.push(`${field}: ${key} is ${advice}`);
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
