/**
 * Validates label selectors with the shared rules of `labelSelectorErrors`. Updates may keep values that were stored
 * before values were validated.
 */
import { appendAll } from '../../../shared/values/append';
import type { MetaV1LabelSelector } from '../../../shared/api/types/generated/members';
import { labelSelectorErrors, type SelectorRules } from '../../../shared/api/selectors/label-selector-rules';
import type { Errors } from './checks';

const STRICT: SelectorRules = { allowsAnyValue: false };

/** An absent selector is valid. */
export function checkSelector(selector: MetaV1LabelSelector | undefined, field: string, errors: Errors): void {
  if (selector !== undefined) appendAll(errors, labelSelectorErrors(selector, field, STRICT));
}

/**
 * `old` is the stored selector. Invalid values are accepted if the stored selector is already invalid, because it may
 * be older than the validation of values.
 */
export function checkSelectorUpdate(
  selector: MetaV1LabelSelector | undefined,
  old: MetaV1LabelSelector | undefined,
  field: string,
  errors: Errors,
): void {
  const allowsAnyValue = old !== undefined && labelSelectorErrors(old, '', STRICT).length > 0;
  if (selector !== undefined) appendAll(errors, labelSelectorErrors(selector, field, { allowsAnyValue }));
}
