/** The selector of a Job: made for it, so that it can only match its own Pods, or chosen by hand. */
import { invalidAs, required, type FieldError } from '../../../../shared/api/errors/field-error';
import { goLabelSelector, goTexts } from '../../../../shared/values/go-values';
import { equalJson, isEmptyObject, objectAt, own, stringAt, type JsonObject } from '../../../../shared/values/json';
import { metadataOf, readMetadata } from '../../../../shared/api/metadata/object-meta';
import type { GeneratedNames } from '../../../../shared/names/dialect';
import { selectorErrors } from '../../rules/field-rules';
import { checkMatch, labelsOf } from '../../core/workload/selected-template';

/** The labels by which a Job knows its Pods: those of old days, and those with a prefix. */
function labelNames(names: GeneratedNames): {
  readonly plain: readonly [uid: string, name: string];
  readonly prefixed: readonly [string, string];
} {
  return { plain: ['controller-uid', 'job-name'], prefixed: [`batch.${names.prefix}/controller-uid`, `batch.${names.prefix}/job-name`] };
}

/** Labels that somebody has set stay, for the rules to judge. */
export function generateSelector(object: JsonObject, names: GeneratedNames): void {
  const spec = objectAt(object, 'spec');
  const template = spec === undefined ? undefined : objectAt(spec, 'template');
  if (spec === undefined || template === undefined || spec['manualSelector'] === true) return;
  const { uid, name } = identity(object);
  const { plain, prefixed } = labelNames(names);
  const made = { [prefixed[0]]: uid, [prefixed[1]]: name, [plain[0]]: uid, [plain[1]]: name };
  const labels = objectAt(metadataOf(template), 'labels') ?? {};
  for (const [label, value] of Object.entries(made)) if (!Object.hasOwn(labels, label)) labels[label] = value;
  metadataOf(template)['labels'] = labels;
  // Labels that a Job does not have it takes from its template, whatever they came from.
  const metadata = metadataOf(object);
  if (isEmptyObject(objectAt(metadata, 'labels') ?? {})) metadata['labels'] = { ...labels };
  const matchLabels = objectAt(objectAt(spec, 'selector'), 'matchLabels') ?? {};
  spec['selector'] = { ...objectAt(spec, 'selector'), matchLabels: { ...matchLabels, [prefixed[0]]: uid } };
}

function identity(object: JsonObject): { readonly uid: string; readonly name: string } {
  const metadata = readMetadata(object);
  return { uid: stringAt(metadata, 'uid') ?? '', name: stringAt(metadata, 'name') ?? '' };
}

/** Of a Job that does not choose by hand: its selector is the one that was made for it. Older Jobs know only the labels of old days. */
export function generatedSelectorErrors(object: JsonObject, old: JsonObject | undefined, names: GeneratedNames): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const selector = objectAt(spec, 'selector');
  if (spec['manualSelector'] === true || selector === undefined) return [];
  const { plain, prefixed } = labelNames(names);
  const { uid, name } = identity(object);
  const before = objectAt(objectAt(objectAt(old, 'spec'), 'selector'), 'matchLabels') ?? {};
  const isPrefixed = old === undefined || own(before, prefixed[0]) !== undefined;
  const labels = labelsOf(objectAt(spec, 'template') ?? {});
  const errors = (isPrefixed ? [plain, prefixed] : [plain]).flatMap(([uidLabel, nameLabel]) => [
    ...labelErrors(labels, uidLabel, uid),
    ...labelErrors(labels, nameLabel, name),
  ]);
  const known = (isPrefixed ? [prefixed[0]] : [plain[0], prefixed[0]]).map((label): JsonObject => ({ matchLabels: { [label]: uid } }));
  if (selectorErrors(spec, undefined, 'spec').length > 0 || known.some((wanted) => equalJson(selector, wanted))) return errors;
  return [...errors, invalidAs('spec.selector', goLabelSelector(selector), '`selector` not auto-generated')];
}

function labelErrors(labels: JsonObject | undefined, label: string, wanted: string): readonly FieldError[] {
  const field = `spec.template.metadata.labels[${label}]`;
  const text = `must be '${wanted}'`;
  const value = labels === undefined ? undefined : own(labels, label);
  if (value === undefined) return [required(field, text)];
  return value === wanted ? [] : [invalidAs(field, goTexts(labels), text)];
}

/** What is asked of every selector of a Job. */
export function jobSelectorErrors(spec: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const errors = [...selectorErrors(spec, old, 'spec')];
  if (objectAt(spec, 'selector') === undefined) errors.push(required('spec.selector'));
  else if (errors.length > 0) return errors;
  checkMatch(spec, errors);
  return errors;
}
