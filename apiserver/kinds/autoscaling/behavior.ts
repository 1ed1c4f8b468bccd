/** How fast an autoscaler may scale, in either direction. */
import { invalidShownValue, unsupportedValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { checkChoice, type Errors } from '../rules/checks';
import type {
  AutoscalingV2HorizontalPodAutoscalerBehavior,
  AutoscalingV2HPAScalingPolicy,
  AutoscalingV2HPAScalingRules,
} from '../../../shared/api/types/generated/members';

const LONGEST_WINDOW = 3600;
const LONGEST_PERIOD = 1800;
const CHOICES = ['Disabled', 'Max', 'Min'];
const POLICIES = ['Percent', 'Pods'];

export function checkBehavior(behavior: AutoscalingV2HorizontalPodAutoscalerBehavior, place: string, errors: Errors): void {
  for (const direction of ['scaleUp', 'scaleDown'] as const) {
    const rules = behavior[direction];
    if (rules !== undefined) checkDirection(rules, `${place}.${direction}`, errors);
  }
}

function checkDirection(rules: AutoscalingV2HPAScalingRules, place: string, errors: Errors): void {
  const window = rules.stabilizationWindowSeconds;
  const field = `${place}.stabilizationWindowSeconds`;
  if (window !== undefined && window < 0) errors.push(invalidShownValue(field, String(window), 'must be greater than or equal to zero'));
  if (window !== undefined && window > LONGEST_WINDOW) errors.push(tooLarge(field, window, LONGEST_WINDOW));
  checkChoice(rules, 'selectPolicy', place, CHOICES, errors);
  const policies = rules.policies ?? [];
  if (policies.length === 0) errors.push(requiredValue(`${place}.policies`, 'must specify at least one Policy'));
  policies.forEach((policy, index) => checkPolicy(policy, `${place}.policies[${index}]`, errors));
}

function checkPolicy(policy: AutoscalingV2HPAScalingPolicy, place: string, errors: Errors): void {
  const type = policy.type ?? '';
  if (!POLICIES.includes(type)) errors.push(unsupportedValue(`${place}.type`, type, POLICIES));
  for (const member of ['value', 'periodSeconds'] as const) {
    const value = policy[member] ?? 0;
    if (value <= 0) errors.push(invalidShownValue(`${place}.${member}`, String(value), 'must be greater than zero'));
  }
  const period = policy.periodSeconds ?? 0;
  if (period > LONGEST_PERIOD) errors.push(tooLarge(`${place}.periodSeconds`, period, LONGEST_PERIOD));
}

const tooLarge = (field: string, value: number, most: number): FieldError =>
  invalidShownValue(field, String(value), `must be less than or equal to ${most}`);
