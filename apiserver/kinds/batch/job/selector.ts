/** The selector of a Job: made for it, so that it can only match its own Pods, or chosen by hand. */
import { invalidShownValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { formatGoLabelSelector, formatGoStringMap } from '../../../../shared/values/go-values';
import { isEmptyObject, own } from '../../../../shared/values/json';
import type { GeneratedNames } from '../../../../shared/names/dialect';
import type { Errors } from '../../rules/checks';
import { checkSelector, checkSelectorChange } from '../../rules/selectors';
import { selectorMatches } from '../../../../shared/api/selectors/object-selector';
import { checkMatch, labelsOf } from '../../core/workload/selected-template';
import type { BatchV1Job, BatchV1JobSpec, MetaV1LabelSelector } from '../../../../shared/api/types/generated/members';

const SELECTOR = 'spec.selector';

/** The labels by which a Job knows its Pods: those of old days, and those with a prefix. */
function labelNames(names: GeneratedNames): {
  readonly plain: readonly [uid: string, name: string];
  readonly prefixed: readonly [string, string];
} {
  return { plain: ['controller-uid', 'job-name'], prefixed: [`batch.${names.prefix}/controller-uid`, `batch.${names.prefix}/job-name`] };
}

/** Labels that somebody has set stay, for the rules to judge. */
export function generateSelector(object: BatchV1Job, names: GeneratedNames): void {
  const { spec } = object;
  const template = spec?.template;
  if (spec === undefined || template === undefined || spec.manualSelector === true) return;
  const metadata = (object.metadata ??= {});
  const { uid = '', name = '' } = metadata;
  const { plain, prefixed } = labelNames(names);
  const made = { [prefixed[0]]: uid, [prefixed[1]]: name, [plain[0]]: uid, [plain[1]]: name };
  const labels = ((template.metadata ??= {}).labels ??= {});
  for (const [label, value] of Object.entries(made)) if (!Object.hasOwn(labels, label)) labels[label] = value;
  spec.selector = { ...spec.selector, matchLabels: { ...spec.selector?.matchLabels, [prefixed[0]]: uid } };
}

/** Defaults the labels of a Job without labels to those of its template, including the generated ones. */
export function defaultLabels({ metadata, spec }: BatchV1Job): void {
  const labels = labelsOf(spec?.template);
  if (metadata !== undefined && labels !== undefined && isEmptyObject(metadata.labels ?? {})) metadata.labels = { ...labels };
}

/** Of a Job that does not choose by hand: its selector is the one that was made for it. Older Jobs know only the labels of old days. */
export function checkGeneratedSelector(object: BatchV1Job, old: BatchV1Job | undefined, names: GeneratedNames, errors: Errors): void {
  const { selector, manualSelector, template } = object.spec ?? {};
  if (manualSelector === true || selector === undefined) return;
  const { plain, prefixed } = labelNames(names);
  const { uid = '', name = '' } = object.metadata ?? {};
  const isPrefixed = old === undefined || own(old.spec?.selector?.matchLabels ?? {}, prefixed[0]) !== undefined;
  const labels = labelsOf(template);
  for (const [uidLabel, nameLabel] of isPrefixed ? [plain, prefixed] : [plain]) {
    checkLabel(labels, uidLabel, uid, errors);
    checkLabel(labels, nameLabel, name, errors);
  }
  const made = Object.fromEntries(
    (isPrefixed ? [plain, prefixed] : [plain]).flatMap((pair) => [
      [pair[0], uid],
      [pair[1], name],
    ]),
  );
  if (!isReadable(selector) || selectorMatches(selector, made)) return;
  errors.push(invalidShownValue(SELECTOR, formatGoLabelSelector(selector), '`selector` not auto-generated'));
}

function checkLabel(labels: Readonly<Record<string, string>> | undefined, label: string, wanted: string, errors: Errors): void {
  const field = `spec.template.metadata.labels[${label}]`;
  const text = `must be '${wanted}'`;
  const value = labels === undefined ? undefined : own(labels, label);
  if (value === undefined) errors.push(requiredValue(field, text));
  else if (value !== wanted) errors.push(invalidShownValue(field, formatGoStringMap(labels), text));
}

/** What is wrong with it is told with what is asked of every selector. */
function isReadable(selector: MetaV1LabelSelector): boolean {
  const errors: Errors = [];
  checkSelector(selector, SELECTOR, errors);
  return errors.length === 0;
}

/** What is asked of every selector of a Job; `old` = the spec whose wrong one is borne with. */
export function checkJobSelector(spec: BatchV1JobSpec, old: BatchV1JobSpec | undefined, errors: Errors): void {
  const known = errors.length;
  checkSelectorChange(spec.selector, old?.selector, SELECTOR, errors);
  if (spec.selector === undefined) errors.push(requiredValue(SELECTOR));
  else if (errors.length > known) return;
  checkMatch(spec, errors);
}
