/**
 * Validates the scaling behavior of HorizontalPodAutoscalers: for each direction a stabilization window and at least
 * one policy, within fixed limits of time. Applying it is left to the controller.
 */
import { invalidShownValue, unsupportedValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { checkEnum, type Errors } from '../rules/checks';
import type {
  AutoscalingV2HorizontalPodAutoscalerBehavior,
  AutoscalingV2HPAScalingPolicy,
  AutoscalingV2HPAScalingRules,
} from '../../../shared/api/types/generated/members';

const MAX_WINDOW_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICIES = ['Percent', 'Pods'];

export function checkBehavior(behavior: AutoscalingV2HorizontalPodAutoscalerBehavior, fieldPath: string, errors: Errors): void {
  for (const direction of ['scaleUp', 'scaleDown'] as const) {
    const rules = behavior[direction];
    if (rules !== undefined) checkScalingRules(rules, `${fieldPath}.${direction}`, errors);
  }
}

function checkScalingRules(rules: AutoscalingV2HPAScalingRules, fieldPath: string, errors: Errors): void {
  const window = rules.stabilizationWindowSeconds;
  const field = `${fieldPath}.stabilizationWindowSeconds`;
  if (window !== undefined && window < 0) errors.push(invalidShownValue(field, String(window), 'must be greater than or equal to zero'));
  if (window !== undefined && window > MAX_WINDOW_SECONDS) errors.push(tooLarge(field, window, MAX_WINDOW_SECONDS));
  checkEnum(rules, 'selectPolicy', fieldPath, SELECT_POLICIES, errors);
  const policies = rules.policies ?? [];
  if (policies.length === 0) errors.push(requiredValue(`${fieldPath}.policies`, 'must specify at least one Policy'));
  policies.forEach((policy, index) => checkPolicy(policy, `${fieldPath}.policies[${index}]`, errors));
}

function checkPolicy(policy: AutoscalingV2HPAScalingPolicy, fieldPath: string, errors: Errors): void {
  const type = policy.type ?? '';
  if (!POLICIES.includes(type)) errors.push(unsupportedValue(`${fieldPath}.type`, type, POLICIES));
  for (const member of ['value', 'periodSeconds'] as const) {
    const value = policy[member] ?? 0;
    if (value <= 0) errors.push(invalidShownValue(`${fieldPath}.${member}`, String(value), 'must be greater than zero'));
  }
  const period = policy.periodSeconds ?? 0;
  if (period > MAX_PERIOD_SECONDS) errors.push(tooLarge(`${fieldPath}.periodSeconds`, period, MAX_PERIOD_SECONDS));
}

const tooLarge = (field: string, value: number, max: number): FieldError =>
  invalidShownValue(field, String(value), `must be less than or equal to ${max}`);
