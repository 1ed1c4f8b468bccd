/** How the template of a workload's Pods has to fit the workload: its selector, and Pods that are started again for ever. */
import { forbiddenField, invalidAs, notSupported, required, type FieldError } from '../../../../shared/api/errors/field-error';
import { goLabelSelector, goTexts } from '../../../../shared/values/go-values';
import { arrayAt, isEmptyObject, objectAt, own, stringAt, type JsonObject } from '../../../../shared/values/json';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { selects } from '../../../../shared/api/selectors/object-selector';
import { selectorErrors } from '../../rules/field-rules';

const PLACE = 'spec.template';

export interface SelectorPart {
  /** What is wrong with the selector itself. */
  readonly errors: readonly FieldError[];
  /** It can be read; otherwise nothing can be said of what it selects. */
  readonly isReadable: boolean;
  readonly isEmpty: boolean;
}

/** `old` = the spec whose wrong selector is borne with; `where` = what the message calls a workload whose selector must not be empty. */
export function selectorOf(spec: JsonObject, old: JsonObject | undefined, where: string, isRequired = true): SelectorPart {
  const selector = objectAt(spec, 'selector');
  if (selector === undefined) return { errors: isRequired ? [required('spec.selector')] : [], isReadable: true, isEmpty: false };
  const errors = selectorErrors(spec, old, 'spec');
  const isEmpty = isEmptyObject(objectAt(selector, 'matchLabels') ?? {}) && (arrayAt(selector, 'matchExpressions') ?? []).length === 0;
  if (!isEmpty) return { errors, isReadable: errors.length === 0, isEmpty };
  return {
    errors: [invalidAs('spec.selector', goLabelSelector(selector), `empty selector is invalid for ${where}`)],
    isReadable: true,
    isEmpty,
  };
}

export const labelsOf = (template: JsonObject): JsonObject | undefined => objectAt(readMetadata(template), 'labels');

/** An absent selector selects nothing. */
export function mismatchErrors(spec: JsonObject): readonly FieldError[] {
  const labels = labelsOf(objectAt(spec, 'template') ?? {});
  const selector = objectAt(spec, 'selector');
  if (selector !== undefined && selects(selector, labels ?? {})) return [];
  return [mismatch(labels)];
}

export const mismatch = (labels: JsonObject | undefined): FieldError =>
  invalidAs(`${PLACE}.metadata.labels`, goTexts(labels), '`selector` does not match template `labels`');

/** `kind` as the message calls it. */
export function lastingErrors(template: JsonObject, kind: string): readonly FieldError[] {
  const spec = objectAt(template, 'spec') ?? {};
  const policy = stringAt(spec, 'restartPolicy') ?? '';
  const errors: FieldError[] = policy === 'Always' ? [] : [notSupported(`${PLACE}.spec.restartPolicy`, policy, ['Always'])];
  if ((own(spec, 'activeDeadlineSeconds') ?? null) !== null) {
    errors.push(forbiddenField(`${PLACE}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`));
  }
  return errors;
}

const SELECTOR = 'spec.selector';

/** The selector never changes. */
export function selectorChangeErrors(spec: JsonObject, old: JsonObject): readonly FieldError[] {
  return immutableErrors(spec, old, 'selector', SELECTOR);
}

/** Of a selector of a workload that never changes. */
function immutableErrors(spec: JsonObject, old: JsonObject, member: string, field: string): readonly FieldError[] {
  const [selector, before] = [objectAt(spec, member), objectAt(old, member)];
  const shown = (value: JsonObject | undefined): string => (value === undefined ? '"null"' : goLabelSelector(value));
  return shown(selector) === shown(before) ? [] : [invalidAs(field, shown(selector), 'field is immutable')];
}
