/**
 * Generates and validates the selector of Jobs. The generated selector matches only the Job's own Pods, by a label with
 * the uid of the Job. With `manualSelector` the client sets the selector instead.
 */
import { invalidShownValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { formatGoLabelSelector, formatGoStringMap } from '../../../../shared/values/go-values';
import { isEmptyObject, ownMember } from '../../../../shared/values/json';
import type { GeneratedNames } from '../../../../shared/names/dialect';
import type { Errors } from '../../rules/checks';
import { checkSelector, checkSelectorUpdate } from '../../rules/selectors';
import { selectorMatches } from '../../../../shared/api/selectors/object-selector';
import { checkSelectorMatchesTemplate, templateLabels } from '../../core/workload/workload-selector';
import type { BatchV1Job, BatchV1JobSpec, MetaV1LabelSelector } from '../../../../shared/api/types/generated/members';

const SELECTOR = 'spec.selector';

/** The names of the labels with the uid and the name of a Pod's Job. */
interface JobLabelNames {
  readonly uid: string;
  readonly name: string;
}

/** The labels of older Jobs. Newer ones have them too. */
const LEGACY_LABELS: JobLabelNames = { uid: 'controller-uid', name: 'job-name' };

const prefixedLabels = ({ prefix }: GeneratedNames): JobLabelNames => ({
  uid: `batch.${prefix}/controller-uid`,
  name: `batch.${prefix}/job-name`,
});

/**
 * Sets the selector and the labels of the template, unless `manualSelector` is set. Labels from the client are kept and
 * validated later.
 */
export function generateSelector(object: BatchV1Job, names: GeneratedNames): void {
  const { spec } = object;
  const template = spec?.template;
  if (spec === undefined || template === undefined || spec.manualSelector === true) return;
  const metadata = (object.metadata ??= {});
  const { uid = '', name = '' } = metadata;
  const prefixed = prefixedLabels(names);
  const generated = { [prefixed.uid]: uid, [prefixed.name]: name, [LEGACY_LABELS.uid]: uid, [LEGACY_LABELS.name]: name };
  const labels = ((template.metadata ??= {}).labels ??= {});
  for (const [label, value] of Object.entries(generated)) labels[label] ??= value;
  spec.selector = { ...spec.selector, matchLabels: { ...spec.selector?.matchLabels, [prefixed.uid]: uid } };
}

/** Defaults the labels of a Job without labels to those of its template, including the generated ones. */
export function defaultJobLabels({ metadata, spec }: BatchV1Job): void {
  const labels = templateLabels(spec?.template);
  if (metadata !== undefined && labels !== undefined && isEmptyObject(metadata.labels ?? {})) metadata.labels = { ...labels };
}

/**
 * Without `manualSelector`, the selector and the labels must be the generated ones. Older Jobs have only the legacy
 * labels.
 */
export function checkGeneratedSelector(object: BatchV1Job, old: BatchV1Job | undefined, names: GeneratedNames, errors: Errors): void {
  const { selector, manualSelector, template } = object.spec ?? {};
  if (manualSelector === true || selector === undefined) return;
  const prefixed = prefixedLabels(names);
  const { uid = '', name = '' } = object.metadata ?? {};
  const oldSelectorLabels = old?.spec?.selector?.matchLabels ?? {};
  const hasPrefixedLabels = old === undefined || ownMember(oldSelectorLabels, prefixed.uid) !== undefined;
  const labels = templateLabels(template);
  const generated: Record<string, string> = {};
  for (const labelNames of hasPrefixedLabels ? [LEGACY_LABELS, prefixed] : [LEGACY_LABELS]) {
    checkLabel(labels, labelNames.uid, uid, errors);
    checkLabel(labels, labelNames.name, name, errors);
    generated[labelNames.uid] = uid;
    generated[labelNames.name] = name;
  }
  if (!isValidSelector(selector) || selectorMatches(selector, generated)) return;
  errors.push(invalidShownValue(SELECTOR, formatGoLabelSelector(selector), '`selector` not auto-generated'));
}

function checkLabel(labels: Readonly<Record<string, string>> | undefined, label: string, expected: string, errors: Errors): void {
  const field = `spec.template.metadata.labels[${label}]`;
  const text = `must be '${expected}'`;
  const value = labels === undefined ? undefined : ownMember(labels, label);
  if (value === undefined) errors.push(requiredValue(field, text));
  else if (value !== expected) errors.push(invalidShownValue(field, formatGoStringMap(labels), text));
}

/** Errors of the selector itself are reported by `checkJobSelector`. */
function isValidSelector(selector: MetaV1LabelSelector): boolean {
  const errors: Errors = [];
  checkSelector(selector, SELECTOR, errors);
  return errors.length === 0;
}

/** Validates any Job selector. If the selector of `old` is invalid, invalid values are accepted. */
export function checkJobSelector(spec: BatchV1JobSpec, old: BatchV1JobSpec | undefined, errors: Errors): void {
  const errorCountBefore = errors.length;
  checkSelectorUpdate(spec.selector, old?.selector, SELECTOR, errors);
  if (spec.selector === undefined) errors.push(requiredValue(SELECTOR));
  else if (errors.length > errorCountBefore) return;
  checkSelectorMatchesTemplate(spec, errors);
}
