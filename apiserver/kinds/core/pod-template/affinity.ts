/** To which nodes and other pods a pod is drawn, and from which it keeps away. */
import { append } from '../../../../shared/values/append';
import { forbiddenField, invalidAs, invalidValue, required } from '../../../../shared/api/errors/field-error';
import { type JsonObject, objectAt, sortedKeys, stringsAt } from '../../../../shared/values/json';
import { dnsLabel } from '../../../../shared/values/name-formats';
import { labelSelectorErrors } from '../../../../shared/api/selectors/label-selector-rules';
import { listed, numberAt } from '../../rules/field-rules';
import { nodeSelectorErrors, nodeSelectorTermErrors } from '../node/node-selector';
import { checkFormat, checkLabelKey, textAt, type Errors } from '../../rules/checks';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function checkAffinity(spec: JsonObject, specPlace: string, errors: Errors): void {
  const affinity = objectAt(spec, 'affinity');
  if (affinity === undefined) return;
  const place = `${specPlace}.affinity`;
  checkNodeAffinity(objectAt(affinity, 'nodeAffinity'), `${place}.nodeAffinity`, errors);
  for (const member of ['podAffinity', 'podAntiAffinity']) checkPodAffinity(objectAt(affinity, member), `${place}.${member}`, errors);
}

function checkNodeAffinity(affinity: JsonObject | undefined, place: string, errors: Errors): void {
  if (affinity === undefined) return;
  const needed = objectAt(affinity, REQUIRED);
  if (needed !== undefined) append(errors, nodeSelectorErrors(needed, `${place}.${REQUIRED}`));
  listed(affinity, PREFERRED).forEach((preference, index) => {
    const field = `${place}.${PREFERRED}[${index}]`;
    checkWeight(preference, field, errors);
    append(errors, nodeSelectorTermErrors(objectAt(preference, 'preference') ?? {}, `${field}.preference`));
  });
}

const HEAVIEST = 100;

function checkWeight(preference: JsonObject, place: string, errors: Errors): void {
  const weight = numberAt(preference, 'weight');
  if (weight < 1 || weight > HEAVIEST) errors.push(invalidAs(`${place}.weight`, String(weight), `must be in the range 1-${HEAVIEST}`));
}

function checkPodAffinity(affinity: JsonObject | undefined, place: string, errors: Errors): void {
  if (affinity === undefined) return;
  listed(affinity, REQUIRED).forEach((term, index) => checkPodTerm(term, `${place}.${REQUIRED}[${index}]`, errors));
  listed(affinity, PREFERRED).forEach((preference, index) => {
    const field = `${place}.${PREFERRED}[${index}]`;
    checkWeight(preference, field, errors);
    checkPodTerm(objectAt(preference, 'podAffinityTerm') ?? {}, `${field}.podAffinityTerm`, errors);
  });
}

function checkPodTerm(term: JsonObject, place: string, errors: Errors): void {
  const selector = objectAt(term, 'labelSelector');
  append(errors, labelSelectorErrors(selector, `${place}.labelSelector`, { anyValue: false }));
  append(errors, labelSelectorErrors(objectAt(term, 'namespaceSelector'), `${place}.namespaceSelector`, { anyValue: false }));
  for (const namespace of stringsAt(term, 'namespaces')) checkFormat(namespace, `${place}.namespace`, dnsLabel, errors);
  checkLabelKeys(term, selector, place, errors);
  const key = textAt(term, 'topologyKey');
  if (key === '') errors.push(required(`${place}.topologyKey`, 'can not be empty'));
  checkLabelKey(key, `${place}.topologyKey`, errors);
}

function checkLabelKeys(term: JsonObject, selector: JsonObject | undefined, place: string, errors: Errors): void {
  const matched = stringsAt(term, 'matchLabelKeys');
  const mismatched = stringsAt(term, 'mismatchLabelKeys');
  if (matched.length === 0 && mismatched.length === 0) return;
  checkKeys(matched, selector, `${place}.matchLabelKeys`, errors);
  checkKeys(mismatched, selector, `${place}.mismatchLabelKeys`, errors);
  if (selector !== undefined) checkSelectedOnce(matched, selector, place, errors);
  matched.forEach((key, index) => {
    if (!mismatched.includes(key)) return;
    errors.push(invalidValue(`${place}.matchLabelKeys[${index}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys'));
  });
}

function checkKeys(keys: readonly string[], selector: JsonObject | undefined, place: string, errors: Errors): void {
  if (keys.length > 0 && selector === undefined) errors.push(forbiddenField(place, 'must not be specified when labelSelector is not set'));
  else keys.forEach((key, index) => checkLabelKey(key, `${place}[${index}]`, errors));
}

/**
 * The selector of a Pod's term names a key of `matchLabelKeys` by now, if the pod has that label. Whatever names it more often is of the client. The
 * place lacks the member (upstream behaviour).
 */
function checkSelectedOnce(keys: readonly string[], selector: JsonObject, place: string, errors: Errors): void {
  const seen = new Set<string>();
  const selected = [
    ...sortedKeys(objectAt(selector, 'matchLabels') ?? {}),
    ...listed(selector, 'matchExpressions').map((expression) => textAt(expression, 'key')),
  ];
  for (const key of selected) {
    const index = keys.lastIndexOf(key);
    if (index >= 0 && seen.has(key))
      errors.push(invalidValue(`${place}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'));
    seen.add(key);
  }
}
