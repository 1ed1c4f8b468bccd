/**
 * Validates topology spread constraints: no two have the same topology key and action. Spreading is left to the
 * scheduler.
 */
import {
  duplicateValue,
  forbiddenField,
  invalidShownValue,
  invalidValue,
  unsupportedValue,
  requiredValue,
} from '../../../../shared/api/errors/field-error';
import { checkSelector } from '../../rules/selectors';
import { checkEnum, checkLabelKey, type Errors } from '../../rules/checks';
import type { CoreV1PodSpec, CoreV1TopologySpreadConstraint, MetaV1LabelSelector } from '../../../../shared/api/types/generated/members';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const NODE_INCLUSION_POLICIES = ['Honor', 'Ignore'];

export function checkTopologySpreadConstraints(spec: CoreV1PodSpec, specPath: string, errors: Errors): void {
  const constraints = spec.topologySpreadConstraints ?? [];
  if (constraints.length === 0) return;
  const lastIndexByKey = new Map(constraints.map((constraint, index) => [constraintKey(constraint), index]));
  constraints.forEach((constraint, index) => {
    const fieldPath = `${specPath}.topologySpreadConstraints[${index}]`;
    checkSkewAndKey(constraint, fieldPath, errors);
    const isRepeated = lastIndexByKey.get(constraintKey(constraint)) !== index;
    checkWhenUnsatisfiable(constraint, { isRepeated }, fieldPath, errors);
    for (const member of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      checkEnum(constraint, member, fieldPath, NODE_INCLUSION_POLICIES, errors);
    }
    const selector = constraint.labelSelector;
    checkMatchLabelKeys(constraint, selector, `${fieldPath}.matchLabelKeys`, errors);
    checkSelector(selector, `${fieldPath}.labelSelector`, errors);
  });
}

/** The topology key and the action; only one constraint may have this pair. */
const constraintKey = ({ topologyKey = '', whenUnsatisfiable = '' }: CoreV1TopologySpreadConstraint): string =>
  JSON.stringify([topologyKey, whenUnsatisfiable]);

function checkSkewAndKey(constraint: CoreV1TopologySpreadConstraint, fieldPath: string, errors: Errors): void {
  const skew = constraint.maxSkew ?? 0;
  if (skew <= 0) errors.push(invalidShownValue(`${fieldPath}.maxSkew`, String(skew), 'must be greater than zero'));
  if ((constraint.topologyKey ?? '') === '') errors.push(requiredValue(`${fieldPath}.topologyKey`, 'can not be empty'));
}

/** Also checks `minDomains`. `isRepeated`: whether a later constraint has the same {@link constraintKey}. */
function checkWhenUnsatisfiable(
  constraint: CoreV1TopologySpreadConstraint,
  { isRepeated }: { readonly isRepeated: boolean },
  fieldPath: string,
  errors: Errors,
): void {
  const action = constraint.whenUnsatisfiable ?? '';
  if (!ACTIONS.includes(action)) errors.push(unsupportedValue(`${fieldPath}.whenUnsatisfiable`, action, ACTIONS));
  const key = constraint.topologyKey ?? '';
  if (isRepeated) errors.push(duplicateValue(`${fieldPath}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${action}}`));
  const minDomains = constraint.minDomains;
  if (minDomains === undefined) return;
  const field = `${fieldPath}.minDomains`;
  if (minDomains <= 0) errors.push(invalidShownValue(field, String(minDomains), 'must be greater than zero'));
  if (action !== 'DoNotSchedule') {
    const text = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
    errors.push(invalidShownValue(field, String(minDomains), text));
  }
}

function checkMatchLabelKeys(
  constraint: CoreV1TopologySpreadConstraint,
  selector: MetaV1LabelSelector | undefined,
  fieldPath: string,
  errors: Errors,
): void {
  const keys = constraint.matchLabelKeys ?? [];
  if (keys.length === 0) return;
  if (selector === undefined) {
    errors.push(forbiddenField(fieldPath, 'must not be specified when labelSelector is not set'));
    return;
  }
  const selected = new Set([...Object.keys(selector.matchLabels ?? {}), ...(selector.matchExpressions ?? []).map(({ key }) => key)]);
  keys.forEach((key, index) => {
    checkLabelKey(key, `${fieldPath}[${index}]`, errors);
    if (selected.has(key)) errors.push(invalidValue(`${fieldPath}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'));
  });
}
