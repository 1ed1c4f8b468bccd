/**
 * Validates updates of Pods, in upstream's order: the new spec must equal the stored one except for a few mutable
 * fields. That the new state is valid by itself is checked before, by the rules for creations.
 */
import { forbiddenField, invalidShownValue, invalidValue, requiredValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { formatGoNodeSelectorTerm, formatGoStringMap } from '../../../../shared/values/go-values';
import { capitalize } from '../../../../shared/values/text/capitalize';
import { equalJson, ownMember, sortedKeys, stringAt, stringifyJson, type JsonObject } from '../../../../shared/values/json';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { APP_ARMOR_ANNOTATION_PREFIX, checkKnownAnnotations, MIRROR_POD_ANNOTATION } from '../pod-template/annotations';
import type { Errors } from '../../rules/checks';
import { checkRange } from '../../rules/numbers';
import { withMembersOf } from '../../rules/with-members-of';
import { imageWhitespaceError } from '../pod-template/containers/containers';
import { checkTolerations } from '../pod-template/tolerations';
import { computePodQos } from './pod-qos';
import type {
  CoreV1Affinity,
  CoreV1NodeSelectorTerm,
  CoreV1Pod,
  CoreV1PodSpec,
  CoreV1Toleration,
} from '../../../../shared/api/types/generated/members';

const MUTABLE_FIELDS_TEXT =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,' +
  '`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` ' +
  '(allow it to be set to 1 if it was previously negative)';

const annotationsOf = (object: CoreV1Pod): Record<string, string> | undefined => object.metadata?.annotations;

/** Validates the annotations that the server knows, and rejects changes of the immutable ones. */
export function validatePodAnnotationUpdate(object: CoreV1Pod, old: CoreV1Pod): FieldError[] {
  const errors: Errors = [];
  checkImmutableAnnotations(annotationsOf(object) ?? {}, annotationsOf(old) ?? {}, errors);
  checkKnownAnnotations(annotationsOf(object), object.spec ?? {}, 'metadata.annotations', errors);
  return errors;
}

/** Stops early where upstream does, because later checks assume that the earlier ones hold. */
export function validatePodUpdate(object: CoreV1Pod, old: CoreV1Pod): readonly FieldError[] {
  const spec = object.spec ?? {};
  const before = old.spec ?? {};
  const errors = validatePodAnnotationUpdate(object, old);
  for (const member of ['containers', 'initContainers'] as const) {
    if ((spec[member] ?? []).length !== (before[member] ?? []).length) {
      errors.push(forbiddenField(`spec.${member}`, 'pod updates may not add or remove containers'));
      return errors;
    }
  }
  checkImages(spec, errors);
  const errorCountBefore = errors.length;
  checkDeadlineUpdate(spec, before, errors);
  if (errors.length > errorCountBefore && spec.activeDeadlineSeconds !== undefined) return errors;
  checkOnlyAddedTolerations(spec, before, errors);
  checkOnlyRemovedGates(spec, before, errors);
  if (isGated(before)) checkOnlyNarrowedNodes(spec, before, errors);
  const oldQos = computePodQos(old);
  if (oldQos !== computePodQos(object)) errors.push(invalidValue('metadata', oldQos, 'Pod QoS is immutable'));
  const reverted = revertMutableFields(spec, before);
  if (!equalJson(reverted, before)) errors.push(forbiddenField('spec', `${MUTABLE_FIELDS_TEXT}\n${formatPodSpecDiff(reverted, before)}`));
  return errors;
}

/** Whether the scheduler ignores the Pod. */
const isGated = (spec: CoreV1PodSpec): boolean => (spec.schedulingGates ?? []).length > 0;

/** `matches` is called with the canonical name of an annotation. */
const IMMUTABLE_ANNOTATIONS = [
  { matches: (name: string): boolean => name.startsWith(APP_ARMOR_ANNOTATION_PREFIX), description: 'AppArmor annotations' },
  { matches: (name: string): boolean => name === MIRROR_POD_ANNOTATION, description: 'mirror pod annotation' },
] as const;

function checkImmutableAnnotations(annotations: Record<string, string>, before: Record<string, string>, errors: Errors): void {
  for (const { matches, description } of IMMUTABLE_ANNOTATIONS) {
    for (const key of sortedKeys(before)) {
      if (!matches(canonicalQualifiedName(key)) || ownMember(annotations, key) === before[key]) continue;
      errors.push(forbiddenField(`metadata.annotations[${key}]`, `may not remove or update ${description}`));
    }
    for (const key of sortedKeys(annotations)) {
      if (!matches(canonicalQualifiedName(key)) || ownMember(before, key) !== undefined) continue;
      errors.push(forbiddenField(`metadata.annotations[${key}]`, `may not add ${description}`));
    }
  }
}

function checkImages(spec: CoreV1PodSpec, errors: Errors): void {
  for (const member of ['containers', 'initContainers'] as const) {
    spec[member]?.forEach((container, index) => {
      const image = container.image ?? '';
      const field = `spec.${member}[${index}].image`;
      if (image === '') errors.push(requiredValue(field));
      else if (image !== image.trim()) errors.push(imageWhitespaceError(field, image));
    });
  }
}

const MAX_DEADLINE_SECONDS = 2_147_483_647;

/** The deadline may be set; afterwards it may decrease but not be removed. */
function checkDeadlineUpdate(spec: CoreV1PodSpec, before: CoreV1PodSpec, errors: Errors): void {
  const field = 'spec.activeDeadlineSeconds';
  const current = spec.activeDeadlineSeconds;
  const previous = before.activeDeadlineSeconds;
  if (current === undefined) {
    if (previous !== undefined) errors.push(invalidShownValue(field, '"null"', 'must not update from a positive integer to nil value'));
    return;
  }
  const errorCountBefore = errors.length;
  checkRange(current, field, 0, MAX_DEADLINE_SECONDS, errors);
  if (errors.length === errorCountBefore && previous !== undefined && current > previous) {
    errors.push(invalidShownValue(field, String(current), 'must be less than or equal to previous value'));
  }
}

function checkOnlyAddedTolerations(spec: CoreV1PodSpec, before: CoreV1PodSpec, errors: Errors): void {
  const current = spec.tolerations ?? [];
  const previous = before.tolerations ?? [];
  const withoutSeconds = (toleration: CoreV1Toleration): CoreV1Toleration => {
    const { tolerationSeconds: _seconds, ...others } = toleration;
    return others;
  };
  const currentTexts = new Set(current.map((toleration) => stringifyJson(withoutSeconds(toleration), 'sorted')));
  if (!previous.every((old) => currentTexts.has(stringifyJson(withoutSeconds(old), 'sorted')))) {
    errors.push(forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'));
  } else checkTolerations(current, 'spec.tolerations', errors);
}

function checkOnlyRemovedGates(spec: CoreV1PodSpec, before: CoreV1PodSpec, errors: Errors): void {
  const names = new Set((before.schedulingGates ?? []).map((gate) => gate.name ?? ''));
  spec.schedulingGates?.forEach((gate, index) => {
    const name = gate.name ?? '';
    if (names.has(name)) return;
    const text = `only deletion is allowed, but found new scheduling gate '${name}'`;
    errors.push(forbiddenField(`spec.schedulingGates[${index}].name`, text));
  });
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const TERM_LISTS = ['matchExpressions', 'matchFields'] as const;

/** While a Pod has scheduling gates, its node selector and required node affinity may only become narrower. */
function checkOnlyNarrowedNodes(spec: CoreV1PodSpec, before: CoreV1PodSpec, errors: Errors): void {
  const selector = spec.nodeSelector;
  const oldSelector = before.nodeSelector ?? {};
  if (sortedKeys(oldSelector).some((key) => stringAt(selector, key) !== stringAt(oldSelector, key))) {
    const text = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
    errors.push(invalidShownValue('spec.nodeSelector', formatGoStringMap(selector), text));
  }
  const terms = nodeTerms(spec);
  const oldTerms = nodeTerms(before);
  if (oldTerms === undefined || oldTerms.length === 0) return;
  const field = `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`;
  if (terms?.length !== oldTerms.length) {
    const shown = terms === undefined ? '(nil)' : `{${terms.map(formatGoNodeSelectorTerm).join(', ')}}`;
    const text = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    errors.push(invalidShownValue(field, `[]core.NodeSelectorTerm${shown}`, text));
    return;
  }
  terms.forEach((term, index) => {
    const old = oldTerms[index] ?? {};
    if (TERM_LISTS.every((member) => startsWithItems(term[member] ?? [], old[member] ?? []))) return;
    errors.push(
      invalidShownValue(`${field}[${index}]`, formatGoNodeSelectorTerm(term), 'only additions are allowed (no mutations or deletions)'),
    );
  });
}

function nodeTerms(spec: CoreV1PodSpec): readonly CoreV1NodeSelectorTerm[] | undefined {
  const required = spec.affinity?.nodeAffinity?.[REQUIRED];
  return required === undefined ? undefined : (required.nodeSelectorTerms ?? []);
}

const startsWithItems = (items: readonly JsonObject[], prefix: readonly JsonObject[]): boolean =>
  prefix.every((item, index) => equalJson(item, items[index]));

/**
 * Returns `spec` with the mutable fields reverted to `before`, so that any remaining difference is a forbidden change.
 */
function revertMutableFields(spec: CoreV1PodSpec, before: CoreV1PodSpec): CoreV1PodSpec {
  const withOldImages: CoreV1PodSpec = { ...spec };
  for (const member of ['containers', 'initContainers'] as const) {
    const old = before[member] ?? [];
    const containers = spec[member];
    if (containers === undefined || containers === null) continue;
    withOldImages[member] = containers.map((container, index) => {
      const oldContainer = old[index];
      return oldContainer === undefined ? container : withMembersOf(container, oldContainer, ['image']);
    });
  }
  const grace = before.terminationGracePeriodSeconds;
  const replacesNegativeGrace = grace !== undefined && grace < 0 && spec.terminationGracePeriodSeconds === 1;
  const members: (keyof CoreV1PodSpec)[] = ['activeDeadlineSeconds', 'tolerations', 'schedulingGates'];
  if (replacesNegativeGrace) members.push('terminationGracePeriodSeconds');
  if (!isGated(before)) return withMembersOf(withOldImages, before, members);
  return revertNodeAffinity(withMembersOf(withOldImages, before, [...members, 'nodeSelector']), before);
}

/** Reverts `nodeAffinity`; an affinity that is empty without it is removed. */
function revertNodeAffinity(spec: CoreV1PodSpec, before: CoreV1PodSpec): CoreV1PodSpec {
  const { affinity, ...others } = spec;
  const oldAffinity = before.affinity;
  if (affinity?.nodeAffinity === undefined && oldAffinity?.nodeAffinity === undefined) return spec;
  const reverted = withMembersOf<CoreV1Affinity>(affinity ?? {}, oldAffinity ?? {}, ['nodeAffinity']);
  const isRemoved = oldAffinity === undefined && Object.keys(reverted).length === 0;
  return isRemoved ? others : { ...others, affinity: reverted };
}

const MAX_SHOWN_MEMBERS = 8;
const MAX_SHOWN_LENGTH = 400;

/**
 * The difference between two Pod specs for an error message: old and new values of the changed members. Bounded, because
 * clients choose the contents.
 */
function formatPodSpecDiff(spec: JsonObject, before: JsonObject): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(spec)])].sort();
  const different = names.filter((name) => !equalJson(ownMember(spec, name), ownMember(before, name)));
  const lines = different
    .slice(0, MAX_SHOWN_MEMBERS)
    .flatMap((name) => [`- \t${shownMember(name, before)},`, `+ \t${shownMember(name, spec)},`]);
  if (different.length > MAX_SHOWN_MEMBERS) lines.push(`  \t... // ${different.length - MAX_SHOWN_MEMBERS} more`);
  return ['  core.PodSpec{', '  \t... // identical fields', ...lines, '  }', ''].join('\n');
}

function shownMember(name: string, spec: JsonObject): string {
  const value = ownMember(spec, name);
  const text = value === undefined ? 'nil' : stringifyJson(value, 'sorted');
  return `${capitalize(name)}: ${text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}...` : text}`;
}
