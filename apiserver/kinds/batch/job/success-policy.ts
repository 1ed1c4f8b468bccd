/**
 * Validates success policies of indexed Jobs: each rule has a count, indexes within the completions, or both. Applying
 * them is left to the controller.
 */
import { invalidShownValue, invalidValue, requiredValue, tooLongValue, tooManyItems } from '../../../../shared/api/errors/field-error';
import { quote } from '../../../../shared/values/text/quote';
import type { Errors } from '../../rules/checks';
import { checkNonNegative } from '../../rules/numbers';
import type { BatchV1JobSpec, BatchV1SuccessPolicy, BatchV1SuccessPolicyRule } from '../../../../shared/api/types/generated/members';

const MAX_RULES = 20;
const MAX_INDEXES_LENGTH = 65_536;

/** `spec` contains the policy, and the completions below which its rules may name indexes. `fieldPath` is that of the policy. */
export function checkSuccessPolicy(spec: BatchV1JobSpec, policy: BatchV1SuccessPolicy, fieldPath: string, errors: Errors): void {
  const { completionMode, completions = 0 } = spec;
  const rules = policy.rules ?? [];
  const field = `${fieldPath}.rules`;
  if (completionMode !== 'Indexed') errors.push(invalidValue(fieldPath, policy, 'requires indexed completion mode'));
  else if (rules.length === 0) {
    errors.push(requiredValue(field, 'at least one rules must be specified when the successPolicy is specified'));
  } else if (rules.length > MAX_RULES) errors.push(tooManyItems(field, rules.length, MAX_RULES));
  else rules.forEach((rule, index) => checkRule(rule, completions, `${field}[${index}]`, errors));
}

function checkRule(rule: BatchV1SuccessPolicyRule, completions: number, fieldPath: string, errors: Errors): void {
  const { succeededIndexes: indexes, succeededCount: count } = rule;
  if (indexes === undefined && count === undefined) {
    errors.push(requiredValue(fieldPath, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  const indexCount = indexes === undefined ? undefined : checkIndexes(indexes, completions, `${fieldPath}.succeededIndexes`, errors);
  if (count === undefined) return;
  const checkMax = (max: number, description: string): void => {
    if (count <= max) return;
    const text = `must be less than or equal to ${max} (the number of ${description})`;
    errors.push(invalidShownValue(`${fieldPath}.succeededCount`, String(count), text));
  };
  checkNonNegative(rule, 'succeededCount', fieldPath, errors);
  checkMax(completions, 'specified completions');
  if (indexCount !== undefined) checkMax(indexCount, 'indexes in the specified succeededIndexes field');
}

/** Adds the errors of the list, and returns the number of its indexes; 0 when it cannot be parsed. */
function checkIndexes(indexes: string, completions: number, field: string, errors: Errors): number {
  if (Buffer.byteLength(indexes) > MAX_INDEXES_LENGTH) errors.push(tooLongValue(field, MAX_INDEXES_LENGTH));
  const result = countIndexes(indexes, completions);
  if (typeof result === 'number') return result;
  errors.push(invalidValue(field, indexes, `error parsing succeededIndexes: ${result}`));
  return 0;
}

/** A decimal integer as `strconv.Atoi` accepts it. */
const INTEGER = /^[+-]?\d+$/;

/** The number of indexes in a list such as `0,2-4`, which must increase and be below `completions`; or an error text. */
function countIndexes(text: string, completions: number): number | string {
  if (text === '') return 0;
  let total = 0;
  let previous: number | undefined;
  for (const interval of text.split(',')) {
    const bounds = interval.split('-');
    if (bounds.length > 2) {
      return `the fragment ${quote(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    }
    const indexes: number[] = [];
    for (const bound of bounds) {
      if (!INTEGER.test(bound)) return `cannot convert string to integer for index: ${quote(bound)}`;
      const index = Number(bound);
      if (previous !== undefined && previous >= index) return `non-increasing order, previous: ${previous}, current: ${index}`;
      if (index >= completions) return `too large index: ${quote(bound)}`;
      previous = index;
      indexes.push(index);
    }
    const [first = 0, last = first] = indexes;
    total += last - first + 1;
  }
  return total;
}
