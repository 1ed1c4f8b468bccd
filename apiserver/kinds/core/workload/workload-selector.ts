/** How the template of a workload's Pods has to fit the workload: its selector, and Pods that are started again for ever. */
import { invalidShownValue, unsupportedValue, requiredValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { formatGoLabelSelector, formatGoStringMap } from '../../../../shared/values/go-values';
import { isEmptyObject } from '../../../../shared/values/json';
import { selectorMatches } from '../../../../shared/api/selectors/object-selector';
import { forbidMembers, type Errors } from '../../rules/checks';
import { checkSelectorUpdate } from '../../rules/selectors';
import type { CoreV1PodTemplateSpec, MetaV1LabelSelector } from '../../../../shared/api/types/generated/members';

const TEMPLATE = 'spec.template';
const SELECTOR = 'spec.selector';

/** The spec of a workload. */
export type WorkloadSpec = { readonly selector?: MetaV1LabelSelector | null; readonly template?: CoreV1PodTemplateSpec };

export interface SelectorResult {
  /** It can be read; otherwise nothing can be said of what it selects. */
  readonly isValid: boolean;
  readonly isEmpty: boolean;
}

interface SelectorOptions {
  /** The spec whose wrong selector is borne with. */
  readonly old?: WorkloadSpec | undefined;
  readonly isRequired?: boolean;
}

/** `where` = what the message calls a workload whose selector must not be empty. */
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
  const before = errors.length;
  checkSelectorUpdate(selector, old?.selector ?? undefined, SELECTOR, errors);
  return { isValid: errors.length === before, isEmpty: false };
}

type Labels = Readonly<Record<string, string>>;

export const templateLabels = (template: CoreV1PodTemplateSpec | undefined): Labels | undefined => template?.metadata?.labels;

/** An absent selector selects nothing. */
export function checkSelectorMatchesTemplate(spec: WorkloadSpec, errors: Errors): void {
  const labels = templateLabels(spec.template);
  const selector = spec.selector ?? undefined;
  if (selector === undefined || !selectorMatches(selector, labels ?? {})) errors.push(selectorMismatch(labels));
}

export const selectorMismatch = (labels: Labels | undefined): FieldError =>
  invalidShownValue(`${TEMPLATE}.metadata.labels`, formatGoStringMap(labels), '`selector` does not match template `labels`');

/** `kind` as the message calls it. */
export function checkAlwaysRestarts(template: CoreV1PodTemplateSpec, kind: string, errors: Errors): void {
  const spec = template.spec ?? {};
  const policy = spec.restartPolicy ?? '';
  if (policy !== 'Always') errors.push(unsupportedValue(`${TEMPLATE}.spec.restartPolicy`, policy, ['Always']));
  forbidMembers(spec, ['activeDeadlineSeconds'], `${TEMPLATE}.spec`, `activeDeadlineSeconds in ${kind} is not Supported`, errors);
}

/** The selector never changes. */
export function checkSelectorImmutable(spec: WorkloadSpec, old: WorkloadSpec, errors: Errors): void {
  const shown = ({ selector }: WorkloadSpec): string => ((selector ?? null) === null ? '"null"' : formatGoLabelSelector(selector ?? {}));
  if (shown(spec) !== shown(old)) errors.push(invalidShownValue(SELECTOR, shown(spec), 'field is immutable'));
}
