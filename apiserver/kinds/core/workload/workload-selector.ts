/**
 * Validates a workload's selector (it is not empty and matches the labels of the Pod template) and that its Pods always
 * restart. Updates may keep a selector with invalid values. What else an update may change is left to each strategy.
 */
import { invalidShownValue, unsupportedValue, requiredValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { formatGoLabelSelector, formatGoStringMap } from '../../../../shared/values/go-values';
import { isEmptyObject } from '../../../../shared/values/json';
import { selectorMatches } from '../../../../shared/api/selectors/object-selector';
import { forbidMembers, type Errors } from '../../rules/checks';
import { checkSelectorUpdate } from '../../rules/selectors';
import type { CoreV1PodTemplateSpec, MetaV1LabelSelector } from '../../../../shared/api/types/generated/members';

const TEMPLATE = 'spec.template';
const SELECTOR = 'spec.selector';

/** Spec of a workload with a selector and a Pod template. */
export type WorkloadSpec = { readonly selector?: MetaV1LabelSelector | null; readonly template?: CoreV1PodTemplateSpec };

/** Whether a selector is usable for further checks. */
export interface SelectorResult {
  /** False when the selector has errors; then it cannot be matched against the template. */
  readonly isValid: boolean;
  readonly isEmpty: boolean;
}

interface SelectorOptions {
  /** Stored spec; if its selector is invalid, invalid values are accepted. */
  readonly old?: WorkloadSpec | undefined;
  readonly isRequired?: boolean;
}

/** `workload` names the kind in the message about an empty selector. */
export function checkWorkloadSelector(
  spec: WorkloadSpec,
  workload: string,
  errors: Errors,
  { old, isRequired = true }: SelectorOptions = {},
): SelectorResult {
  const selector = spec.selector ?? undefined;
  if (selector === undefined) {
    if (isRequired) errors.push(requiredValue(SELECTOR));
    return { isValid: true, isEmpty: false };
  }
  if (isEmptyObject(selector.matchLabels ?? {}) && (selector.matchExpressions ?? []).length === 0) {
    errors.push(invalidShownValue(SELECTOR, formatGoLabelSelector(selector), `empty selector is invalid for ${workload}`));
    return { isValid: true, isEmpty: true };
  }
  const errorCountBefore = errors.length;
  checkSelectorUpdate(selector, old?.selector ?? undefined, SELECTOR, errors);
  return { isValid: errors.length === errorCountBefore, isEmpty: false };
}

type Labels = Readonly<Record<string, string>>;

/** `undefined` when the template has no labels. */
export const templateLabels = (template: CoreV1PodTemplateSpec | undefined): Labels | undefined => template?.metadata?.labels;

/** Requires that the selector matches the labels of the template. An absent selector matches nothing. */
export function checkSelectorMatchesTemplate(spec: WorkloadSpec, errors: Errors): void {
  const labels = templateLabels(spec.template);
  const selector = spec.selector ?? undefined;
  if (selector === undefined || !selectorMatches(selector, labels ?? {})) errors.push(selectorMismatch(labels));
}

/** `labels` are those of the template. */
export const selectorMismatch = (labels: Labels | undefined): FieldError =>
  invalidShownValue(`${TEMPLATE}.metadata.labels`, formatGoStringMap(labels), '`selector` does not match template `labels`');

/** Requires `restartPolicy: Always` and no deadline. `kind` is the name in messages. */
export function checkAlwaysRestarts(template: CoreV1PodTemplateSpec, kind: string, errors: Errors): void {
  const spec = template.spec ?? {};
  const policy = spec.restartPolicy ?? '';
  if (policy !== 'Always') errors.push(unsupportedValue(`${TEMPLATE}.spec.restartPolicy`, policy, ['Always']));
  forbidMembers(spec, ['activeDeadlineSeconds'], `${TEMPLATE}.spec`, `activeDeadlineSeconds in ${kind} is not Supported`, errors);
}

export function checkSelectorImmutable(spec: WorkloadSpec, old: WorkloadSpec, errors: Errors): void {
  // Upstream shows an absent selector as a quoted null.
  const shown = ({ selector }: WorkloadSpec): string =>
    selector === undefined || selector === null ? '"null"' : formatGoLabelSelector(selector);
  if (shown(spec) !== shown(old)) errors.push(invalidShownValue(SELECTOR, shown(spec), 'field is immutable'));
}
