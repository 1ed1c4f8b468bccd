/** How a pod's like are spread over the parts of a cluster. */
import {
  duplicateValue,
  forbiddenField,
  invalidShownValue,
  invalidValue,
  unsupportedValue,
  requiredValue,
} from '../../../../shared/api/errors/field-error';
import { checkSelector } from '../../rules/selectors';
import { checkChoice, checkLabelKey, type Errors } from '../../rules/checks';
import type { CoreV1PodSpec, CoreV1TopologySpreadConstraint, MetaV1LabelSelector } from '../../../../shared/api/types/generated/members';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES = ['Honor', 'Ignore'];

export function checkSpread(spec: CoreV1PodSpec, specPlace: string, errors: Errors): void {
  const constraints = spec.topologySpreadConstraints ?? [];
  if (constraints.length === 0) return;
  const last = new Map(constraints.map((constraint, index) => [meaningOf(constraint), index]));
  constraints.forEach((constraint, index) => {
    const place = `${specPlace}.topologySpreadConstraints[${index}]`;
    checkSkew(constraint, place, errors);
    checkAction(constraint, last.get(meaningOf(constraint)) !== index, place, errors);
    for (const member of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) checkChoice(constraint, member, place, POLICIES, errors);
    const selector = constraint.labelSelector;
    checkMatchLabelKeys(constraint, selector, `${place}.matchLabelKeys`, errors);
    checkSelector(selector, `${place}.labelSelector`, errors);
  });
}

/** What only one of them may say. */
const meaningOf = ({ topologyKey = '', whenUnsatisfiable = '' }: CoreV1TopologySpreadConstraint): string =>
  JSON.stringify([topologyKey, whenUnsatisfiable]);

function checkSkew(constraint: CoreV1TopologySpreadConstraint, place: string, errors: Errors): void {
  const skew = constraint.maxSkew ?? 0;
  if (skew <= 0) errors.push(invalidShownValue(`${place}.maxSkew`, String(skew), 'must be greater than zero'));
  if ((constraint.topologyKey ?? '') === '') errors.push(requiredValue(`${place}.topologyKey`, 'can not be empty'));
}

function checkAction(constraint: CoreV1TopologySpreadConstraint, isRepeated: boolean, place: string, errors: Errors): void {
  const action = constraint.whenUnsatisfiable ?? '';
  if (!ACTIONS.includes(action)) errors.push(unsupportedValue(`${place}.whenUnsatisfiable`, action, ACTIONS));
  const key = constraint.topologyKey ?? '';
  if (isRepeated) errors.push(duplicateValue(`${place}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${action}}`));
  const least = constraint.minDomains;
  if (least === undefined) return;
  const field = `${place}.minDomains`;
  if (least <= 0) errors.push(invalidShownValue(field, String(least), 'must be greater than zero'));
  if (action !== 'DoNotSchedule') {
    const text = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
    errors.push(invalidShownValue(field, String(least), text));
  }
}

function checkMatchLabelKeys(
  constraint: CoreV1TopologySpreadConstraint,
  selector: MetaV1LabelSelector | undefined,
  place: string,
  errors: Errors,
): void {
  const keys = constraint.matchLabelKeys ?? [];
  if (keys.length === 0) return;
  if (selector === undefined) {
    errors.push(forbiddenField(place, 'must not be specified when labelSelector is not set'));
    return;
  }
  const selected = new Set([...Object.keys(selector.matchLabels ?? {}), ...(selector.matchExpressions ?? []).map(({ key }) => key)]);
  keys.forEach((key, index) => {
    checkLabelKey(key, `${place}[${index}]`, errors);
    if (selected.has(key)) errors.push(invalidValue(`${place}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'));
  });
}
