/** What rules ask of label selectors. */
import { appendAll } from '../../../shared/values/append';
import type { MetaV1LabelSelector } from '../../../shared/api/types/generated/members';
import { labelSelectorErrors, type SelectorRules } from '../../../shared/api/selectors/label-selector-rules';
import type { Errors } from './checks';

const STRICT: SelectorRules = { allowsAnyValue: false };

/** An absent selector is good. */
export function checkSelector(selector: MetaV1LabelSelector | undefined, field: string, errors: Errors): void {
  if (selector !== undefined) appendAll(errors, labelSelectorErrors(selector, field, STRICT));
}

/** `old` = what it is to replace. Who has a wrong one from the days before its values were checked need not mend it. */
export function checkSelectorUpdate(
  selector: MetaV1LabelSelector | undefined,
  old: MetaV1LabelSelector | undefined,
  field: string,
  errors: Errors,
): void {
  const allowsAnyValue = old !== undefined && labelSelectorErrors(old, '', STRICT).length > 0;
  if (selector !== undefined) appendAll(errors, labelSelectorErrors(selector, field, { allowsAnyValue }));
}
