/** To which nodes and other pods a pod is drawn, and from which it keeps away. */
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

export function checkAffinity(spec: CoreV1PodSpec, specPlace: string, errors: Errors): void {
  const affinity = spec.affinity;
  if (affinity === undefined) return;
  const place = `${specPlace}.affinity`;
  checkNodeAffinity(affinity.nodeAffinity, `${place}.nodeAffinity`, errors);
  for (const member of ['podAffinity', 'podAntiAffinity'] as const) checkPodAffinity(affinity[member], `${place}.${member}`, errors);
}

function checkNodeAffinity(affinity: CoreV1NodeAffinity | undefined, place: string, errors: Errors): void {
  if (affinity === undefined) return;
  const needed = affinity[REQUIRED];
  if (needed !== undefined) checkNodeSelector(needed, `${place}.${REQUIRED}`, errors);
  affinity[PREFERRED]?.forEach((preference, index) => {
    const field = `${place}.${PREFERRED}[${index}]`;
    checkWeight(preference, field, errors);
    checkNodeSelectorTerm(preference.preference ?? {}, `${field}.preference`, errors);
  });
}

const HEAVIEST = 100;

function checkWeight(preference: CoreV1PreferredSchedulingTerm | CoreV1WeightedPodAffinityTerm, place: string, errors: Errors): void {
  const weight = preference.weight ?? 0;
  if (weight < 1 || weight > HEAVIEST)
    errors.push(invalidShownValue(`${place}.weight`, String(weight), `must be in the range 1-${HEAVIEST}`));
}

function checkPodAffinity(affinity: CoreV1PodAffinity | undefined, place: string, errors: Errors): void {
  if (affinity === undefined) return;
  affinity[REQUIRED]?.forEach((term, index) => checkPodTerm(term, `${place}.${REQUIRED}[${index}]`, errors));
  affinity[PREFERRED]?.forEach((preference, index) => {
    const field = `${place}.${PREFERRED}[${index}]`;
    checkWeight(preference, field, errors);
    checkPodTerm(preference.podAffinityTerm ?? {}, `${field}.podAffinityTerm`, errors);
  });
}

function checkPodTerm(term: CoreV1PodAffinityTerm, place: string, errors: Errors): void {
  const selector = term.labelSelector;
  checkSelector(selector, `${place}.labelSelector`, errors);
  checkSelector(term.namespaceSelector, `${place}.namespaceSelector`, errors);
  for (const namespace of term.namespaces ?? []) checkFormat(namespace, `${place}.namespace`, checkDnsLabel, errors);
  checkLabelKeys(term, selector, place, errors);
  const key = term.topologyKey ?? '';
  if (key === '') errors.push(requiredValue(`${place}.topologyKey`, 'can not be empty'));
  checkLabelKey(key, `${place}.topologyKey`, errors);
}

function checkLabelKeys(term: CoreV1PodAffinityTerm, selector: MetaV1LabelSelector | undefined, place: string, errors: Errors): void {
  const matched = term.matchLabelKeys ?? [];
  const mismatched = term.mismatchLabelKeys ?? [];
  if (matched.length === 0 && mismatched.length === 0) return;
  checkKeys(matched, selector, `${place}.matchLabelKeys`, errors);
  checkKeys(mismatched, selector, `${place}.mismatchLabelKeys`, errors);
  if (selector !== undefined) checkSelectedOnce(matched, selector, place, errors);
  matched.forEach((key, index) => {
    if (!mismatched.includes(key)) return;
    errors.push(invalidValue(`${place}.matchLabelKeys[${index}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys'));
  });
}

function checkKeys(keys: readonly string[], selector: MetaV1LabelSelector | undefined, place: string, errors: Errors): void {
  if (keys.length > 0 && selector === undefined) errors.push(forbiddenField(place, 'must not be specified when labelSelector is not set'));
  else keys.forEach((key, index) => checkLabelKey(key, `${place}[${index}]`, errors));
}

/**
 * The selector of a Pod's term names a key of `matchLabelKeys` by now, if the pod has that label. Whatever names it more often is of the client. The
 * place lacks the member (upstream behaviour).
 */
function checkSelectedOnce(keys: readonly string[], selector: MetaV1LabelSelector, place: string, errors: Errors): void {
  const seen = new Set<string>();
  const selected = [
    ...sortedKeys(selector.matchLabels ?? {}),
    ...(selector.matchExpressions ?? []).map((expression) => expression.key ?? ''),
  ];
  for (const key of selected) {
    const index = keys.lastIndexOf(key);
    if (index >= 0 && seen.has(key))
      errors.push(invalidValue(`${place}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'));
    seen.add(key);
  }
}
