/**
 * Validates node affinity, pod affinity and pod anti-affinity: required terms, and preferred ones with a weight from 1
 * to 100. Matching nodes and Pods is left to the scheduler.
 */
import { forbiddenField, invalidShownValue, invalidValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { sortedKeys } from '../../../../shared/values/json';
import { checkDnsLabel } from '../../../../shared/values/name-formats';
import { checkSelector } from '../../rules/selectors';
import { checkNodeSelector, checkNodeSelectorTerm } from '../node/node-selector';
import { checkFormat, checkLabelKey, type Errors } from '../../rules/checks';
import type {
  CoreV1NodeAffinity,
  CoreV1PodAffinity,
  CoreV1PodAffinityTerm,
  CoreV1PodSpec,
  CoreV1PreferredSchedulingTerm,
  CoreV1WeightedPodAffinityTerm,
  MetaV1LabelSelector,
} from '../../../../shared/api/types/generated/members';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function checkAffinity(spec: CoreV1PodSpec, specPath: string, errors: Errors): void {
  const affinity = spec.affinity;
  if (affinity === undefined) return;
  const fieldPath = `${specPath}.affinity`;
  checkNodeAffinity(affinity.nodeAffinity, `${fieldPath}.nodeAffinity`, errors);
  for (const member of ['podAffinity', 'podAntiAffinity'] as const) checkPodAffinity(affinity[member], `${fieldPath}.${member}`, errors);
}

function checkNodeAffinity(affinity: CoreV1NodeAffinity | undefined, fieldPath: string, errors: Errors): void {
  if (affinity === undefined) return;
  const required = affinity[REQUIRED];
  if (required !== undefined) checkNodeSelector(required, `${fieldPath}.${REQUIRED}`, errors);
  affinity[PREFERRED]?.forEach((preference, index) => {
    const field = `${fieldPath}.${PREFERRED}[${index}]`;
    checkWeight(preference, field, errors);
    checkNodeSelectorTerm(preference.preference ?? {}, `${field}.preference`, errors);
  });
}

const MAX_WEIGHT = 100;

function checkWeight(preference: CoreV1PreferredSchedulingTerm | CoreV1WeightedPodAffinityTerm, fieldPath: string, errors: Errors): void {
  const weight = preference.weight ?? 0;
  if (weight < 1 || weight > MAX_WEIGHT) {
    errors.push(invalidShownValue(`${fieldPath}.weight`, String(weight), `must be in the range 1-${MAX_WEIGHT}`));
  }
}

function checkPodAffinity(affinity: CoreV1PodAffinity | undefined, fieldPath: string, errors: Errors): void {
  if (affinity === undefined) return;
  affinity[REQUIRED]?.forEach((term, index) => checkPodAffinityTerm(term, `${fieldPath}.${REQUIRED}[${index}]`, errors));
  affinity[PREFERRED]?.forEach((preference, index) => {
    const field = `${fieldPath}.${PREFERRED}[${index}]`;
    checkWeight(preference, field, errors);
    checkPodAffinityTerm(preference.podAffinityTerm ?? {}, `${field}.podAffinityTerm`, errors);
  });
}

function checkPodAffinityTerm(term: CoreV1PodAffinityTerm, fieldPath: string, errors: Errors): void {
  const selector = term.labelSelector;
  checkSelector(selector, `${fieldPath}.labelSelector`, errors);
  checkSelector(term.namespaceSelector, `${fieldPath}.namespaceSelector`, errors);
  // The field path has neither the plural nor an index (upstream behaviour).
  for (const namespace of term.namespaces ?? []) checkFormat(namespace, `${fieldPath}.namespace`, checkDnsLabel, errors);
  checkLabelKeys(term, selector, fieldPath, errors);
  const key = term.topologyKey ?? '';
  if (key === '') errors.push(requiredValue(`${fieldPath}.topologyKey`, 'can not be empty'));
  checkLabelKey(key, `${fieldPath}.topologyKey`, errors);
}

function checkLabelKeys(term: CoreV1PodAffinityTerm, selector: MetaV1LabelSelector | undefined, fieldPath: string, errors: Errors): void {
  const matched = term.matchLabelKeys ?? [];
  const mismatched = term.mismatchLabelKeys ?? [];
  if (matched.length === 0 && mismatched.length === 0) return;
  checkKeys(matched, selector, `${fieldPath}.matchLabelKeys`, errors);
  checkKeys(mismatched, selector, `${fieldPath}.mismatchLabelKeys`, errors);
  if (selector !== undefined) checkSelectedOnce(matched, selector, fieldPath, errors);
  matched.forEach((key, index) => {
    if (!mismatched.includes(key)) return;
    errors.push(invalidValue(`${fieldPath}.matchLabelKeys[${index}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys'));
  });
}

function checkKeys(keys: readonly string[], selector: MetaV1LabelSelector | undefined, fieldPath: string, errors: Errors): void {
  if (keys.length > 0 && selector === undefined) {
    errors.push(forbiddenField(fieldPath, 'must not be specified when labelSelector is not set'));
    return;
  }
  keys.forEach((key, index) => checkLabelKey(key, `${fieldPath}[${index}]`, errors));
}

/**
 * When the Pod has the label, defaulting has already added the key of `matchLabelKeys` to the selector once; a second
 * occurrence comes from the client. The field path lacks the member (upstream behaviour).
 */
function checkSelectedOnce(keys: readonly string[], selector: MetaV1LabelSelector, fieldPath: string, errors: Errors): void {
  const seen = new Set<string>();
  const expressionKeys = (selector.matchExpressions ?? []).map((expression) => expression.key ?? '');
  for (const key of [...sortedKeys(selector.matchLabels ?? {}), ...expressionKeys]) {
    const index = keys.lastIndexOf(key);
    if (index >= 0 && seen.has(key)) {
      errors.push(invalidValue(`${fieldPath}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'));
    }
    seen.add(key);
  }
}
