/** How the template of a workload's Pods has to fit the workload: its selector, and Pods that are started again for ever. */
import { invalidShownValue, unsupportedValue, requiredValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { formatGoLabelSelector, formatGoStringMap } from '../../../../shared/values/go-values';
import { isEmptyObject } from '../../../../shared/values/json';
import { selectorMatches } from '../../../../shared/api/selectors/object-selector';
import { forbidSet, type Errors } from '../../rules/checks';
import { checkSelectorChange } from '../../rules/selectors';
import type { CoreV1PodTemplateSpec, MetaV1LabelSelector } from '../../../../shared/api/types/generated/members';

const PLACE = 'spec.template';
const SELECTOR = 'spec.selector';

/** The spec of a workload. */
export type SelectingSpec = { readonly selector?: MetaV1LabelSelector | null; readonly template?: CoreV1PodTemplateSpec };

export interface SelectorPart {
  /** It can be read; otherwise nothing can be said of what it selects. */
  readonly isReadable: boolean;
  readonly isEmpty: boolean;
}

interface SelectorOptions {
  /** The spec whose wrong selector is borne with. */
  readonly old?: SelectingSpec | undefined;
  readonly isRequired?: boolean;
}

/** `where` = what the message calls a workload whose selector must not be empty. */
export function checkWorkloadSelector(
  spec: SelectingSpec,
  where: string,
  errors: Errors,
  { old, isRequired = true }: SelectorOptions = {},
): SelectorPart {
  const selector = spec.selector ?? undefined;
  if (selector === undefined) {
    if (isRequired) errors.push(requiredValue(SELECTOR));
    return { isReadable: true, isEmpty: false };
  }
  if (isEmptyObject(selector.matchLabels ?? {}) && (selector.matchExpressions ?? []).length === 0) {
    errors.push(invalidShownValue(SELECTOR, formatGoLabelSelector(selector), `empty selector is invalid for ${where}`));
    return { isReadable: true, isEmpty: true };
  }
  const known = errors.length;
  checkSelectorChange(selector, old?.selector ?? undefined, SELECTOR, errors);
  return { isReadable: errors.length === known, isEmpty: false };
}

type Labels = Readonly<Record<string, string>>;

export const labelsOf = (template: CoreV1PodTemplateSpec | undefined): Labels | undefined => template?.metadata?.labels;

/** An absent selector selects nothing. */
export function checkMatch(spec: SelectingSpec, errors: Errors): void {
  const labels = labelsOf(spec.template);
  const selector = spec.selector ?? undefined;
  if (selector === undefined || !selectorMatches(selector, labels ?? {})) errors.push(mismatch(labels));
}

export const mismatch = (labels: Labels | undefined): FieldError =>
  invalidShownValue(`${PLACE}.metadata.labels`, formatGoStringMap(labels), '`selector` does not match template `labels`');

/** `kind` as the message calls it. */
export function checkLasting(template: CoreV1PodTemplateSpec, kind: string, errors: Errors): void {
  const spec = template.spec ?? {};
  const policy = spec.restartPolicy ?? '';
  if (policy !== 'Always') errors.push(unsupportedValue(`${PLACE}.spec.restartPolicy`, policy, ['Always']));
  forbidSet(spec, ['activeDeadlineSeconds'], `${PLACE}.spec`, `activeDeadlineSeconds in ${kind} is not Supported`, errors);
}

/** The selector never changes. */
export function checkSelectorKept(spec: SelectingSpec, old: SelectingSpec, errors: Errors): void {
  const shown = ({ selector }: SelectingSpec): string => ((selector ?? null) === null ? '"null"' : formatGoLabelSelector(selector ?? {}));
  if (shown(spec) !== shown(old)) errors.push(invalidShownValue(SELECTOR, shown(spec), 'field is immutable'));
}
