/**
 * Validates pod failure policies of Jobs: each rule has one action and matches either exit codes or Pod conditions, in
 * bounded numbers. Matching failed Pods is left to the controller.
 */
import {
  duplicateValue,
  invalidShownValue,
  invalidValue,
  unsupportedValue,
  requiredValue,
  tooManyItems,
} from '../../../../shared/api/errors/field-error';
import { checkQualifiedName } from '../../../../shared/values/name-formats';
import { quote } from '../../../../shared/values/text/quote';
import { checkFormat, CONDITION_STATUSES, type Errors } from '../../rules/checks';
import type {
  BatchV1JobSpec,
  BatchV1PodFailurePolicy,
  BatchV1PodFailurePolicyOnExitCodesRequirement,
  BatchV1PodFailurePolicyOnPodConditionsPattern,
  BatchV1PodFailurePolicyRule,
} from '../../../../shared/api/types/generated/members';

const MAX_RULES = 20;
const MAX_CONDITIONS = 20;
const MAX_EXIT_CODES = 255;
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];

/** `spec` contains the policy, and the containers that its rules may name. `fieldPath` is that of the policy. */
export function checkPodFailurePolicy(spec: BatchV1JobSpec, policy: BatchV1PodFailurePolicy, fieldPath: string, errors: Errors): void {
  const rules = policy.rules ?? [];
  if (rules.length > MAX_RULES) {
    errors.push(tooManyItems(`${fieldPath}.rules`, rules.length, MAX_RULES));
    return;
  }
  const job: JobParts = { containerNames: containerNamesOf(spec), hasBackoffLimitPerIndex: spec.backoffLimitPerIndex !== undefined };
  rules.forEach((rule, index) => checkRule(rule, job, `${fieldPath}.rules[${index}]`, errors));
}

/** The parts of a Job on which the validity of a rule depends. */
interface JobParts {
  readonly containerNames: ReadonlySet<string>;
  readonly hasBackoffLimitPerIndex: boolean;
}

function containerNamesOf({ template }: BatchV1JobSpec): ReadonlySet<string> {
  const { containers, initContainers } = template?.spec ?? {};
  return new Set([...(containers ?? []), ...(initContainers ?? [])].map((container) => container.name ?? ''));
}

function checkRule(rule: BatchV1PodFailurePolicyRule, job: JobParts, fieldPath: string, errors: Errors): void {
  const { onExitCodes: codes, onPodConditions: conditions = [] } = rule;
  checkAction(rule.action ?? '', job, `${fieldPath}.action`, errors);
  if (codes !== undefined) checkExitCodes(codes, job.containerNames, `${fieldPath}.onExitCodes`, errors);
  checkConditions(conditions, `${fieldPath}.onPodConditions`, errors);
  const hasCodes = codes !== undefined;
  const hasConditions = conditions.length > 0;
  if (hasCodes && hasConditions) {
    errors.push(invalidShownValue(fieldPath, '', 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  if (!hasCodes && !hasConditions) {
    errors.push(invalidShownValue(fieldPath, '', 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
}

function checkAction(action: string, { hasBackoffLimitPerIndex }: JobParts, field: string, errors: Errors): void {
  if (action === 'FailIndex' && !hasBackoffLimitPerIndex) {
    errors.push(invalidValue(field, action, 'requires the backoffLimitPerIndex to be set'));
  } else checkOneOf(action, field, ACTIONS, errors);
}

/** Requires one of the supported values. An absent value has an error of its own. */
function checkOneOf(value: string, field: string, supported: readonly string[], errors: Errors): void {
  if (value === '') errors.push(requiredValue(field, `valid values: [${supported.map(quote).join(' ')}]`));
  else if (!supported.includes(value)) errors.push(unsupportedValue(field, value, supported));
}

function checkExitCodes(
  codes: BatchV1PodFailurePolicyOnExitCodesRequirement,
  containerNames: ReadonlySet<string>,
  fieldPath: string,
  errors: Errors,
): void {
  const { operator = '', containerName: name, values } = codes;
  checkOneOf(operator, `${fieldPath}.operator`, OPERATORS, errors);
  if (name !== undefined && !containerNames.has(name)) {
    const text = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalidValue(`${fieldPath}.containerName`, name, text));
  }
  checkValues(values ?? undefined, operator, `${fieldPath}.values`, errors);
}

/** Exit codes must be distinct and in ascending order. `codes` is `undefined` when the member is absent. */
function checkValues(codes: readonly number[] | undefined, operator: string, field: string, errors: Errors): void {
  const values = codes ?? [];
  const shown = codes === undefined ? '[]int32(nil)' : `[]int32{${codes.join(', ')}}`;
  if (values.length === 0) {
    errors.push(invalidShownValue(field, shown, 'at least one value is required'));
    return;
  }
  if (values.length > MAX_EXIT_CODES) {
    errors.push(tooManyItems(field, values.length, MAX_EXIT_CODES));
    return;
  }
  const seen = new Set<number>();
  values.forEach((value, index) => {
    const valuePath = `${field}[${index}]`;
    if (operator === 'In' && value === 0) errors.push(invalidShownValue(valuePath, '0', 'must not be 0 for the In operator'));
    if (seen.has(value)) errors.push(duplicateValue(valuePath, value));
    seen.add(value);
  });
  const isOrdered = values.every((value, index) => index === 0 || value >= (values[index - 1] ?? value));
  if (!isOrdered) errors.push(invalidShownValue(field, shown, 'must be ordered'));
}

function checkConditions(conditions: readonly BatchV1PodFailurePolicyOnPodConditionsPattern[], fieldPath: string, errors: Errors): void {
  if (conditions.length > MAX_CONDITIONS) {
    errors.push(tooManyItems(fieldPath, conditions.length, MAX_CONDITIONS));
    return;
  }
  conditions.forEach(({ type = '', status = '' }, index) => {
    checkFormat(type, `${fieldPath}[${index}].type`, checkQualifiedName, errors);
    checkOneOf(status, `${fieldPath}[${index}].status`, CONDITION_STATUSES, errors);
  });
}
