/** How a pod's like are spread over the parts of a cluster. */
import { append } from '../../../../shared/values/append';
import { duplicate, forbiddenField, invalidAs, invalidValue, notSupported, required } from '../../../../shared/api/errors/field-error';
import { arrayAt, isObject, type JsonObject, objectAt, own, stringsAt } from '../../../../shared/values/json';
import { labelSelectorErrors } from '../../../../shared/api/selectors/label-selector-rules';
import { listed, numberAt } from '../../rules/field-rules';
import { checkChoice, checkLabelKey, integerAt, textAt, type Errors } from '../../rules/checks';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES = ['Honor', 'Ignore'];

export function checkSpread(spec: JsonObject, specPlace: string, errors: Errors): void {
  const constraints = listed(spec, 'topologySpreadConstraints');
  constraints.forEach((constraint, index) => {
    const place = `${specPlace}.topologySpreadConstraints[${index}]`;
    checkSkew(constraint, place, errors);
    checkAction(constraint, constraints.slice(index + 1), place, errors);
    for (const member of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) checkChoice(constraint, member, place, POLICIES, errors);
    const selector = objectAt(constraint, 'labelSelector');
    checkMatchLabelKeys(constraint, selector, `${place}.matchLabelKeys`, errors);
    append(errors, labelSelectorErrors(selector, `${place}.labelSelector`, { anyValue: false }));
  });
}

function checkSkew(constraint: JsonObject, place: string, errors: Errors): void {
  const skew = numberAt(constraint, 'maxSkew');
  if (skew <= 0) errors.push(invalidAs(`${place}.maxSkew`, String(skew), 'must be greater than zero'));
  if (textAt(constraint, 'topologyKey') === '') errors.push(required(`${place}.topologyKey`, 'can not be empty'));
}

function checkAction(constraint: JsonObject, others: readonly JsonObject[], place: string, errors: Errors): void {
  const action = textAt(constraint, 'whenUnsatisfiable');
  if (!ACTIONS.includes(action)) errors.push(notSupported(`${place}.whenUnsatisfiable`, action, ACTIONS));
  const key = textAt(constraint, 'topologyKey');
  const isSame = (other: JsonObject): boolean => textAt(other, 'topologyKey') === key && textAt(other, 'whenUnsatisfiable') === action;
  if (others.some(isSame)) errors.push(duplicate(`${place}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${action}}`));
  const least = integerAt(constraint, 'minDomains');
  if (least === undefined) return;
  const field = `${place}.minDomains`;
  if (least <= 0) errors.push(invalidAs(field, String(least), 'must be greater than zero'));
  if (action !== 'DoNotSchedule') {
    const text = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
    errors.push(invalidAs(field, String(least), text));
  }
}

function checkMatchLabelKeys(constraint: JsonObject, selector: JsonObject | undefined, place: string, errors: Errors): void {
  const keys = stringsAt(constraint, 'matchLabelKeys');
  if (keys.length === 0) return;
  if (selector === undefined) {
    errors.push(forbiddenField(place, 'must not be specified when labelSelector is not set'));
    return;
  }
  keys.forEach((key, index) => {
    checkLabelKey(key, `${place}[${index}]`, errors);
    if (selects(selector, key)) errors.push(invalidValue(`${place}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'));
  });
}

function selects(selector: JsonObject, key: string): boolean {
  if (own(objectAt(selector, 'matchLabels') ?? {}, key) !== undefined) return true;
  return (arrayAt(selector, 'matchExpressions') ?? []).some((expression) => isObject(expression) && textAt(expression, 'key') === key);
}
