/** What of a stored Pod may change, in upstream's order. The new state has been judged by then. */
import { forbiddenField, invalidAs, invalidValue, required, type FieldError } from '../../../../shared/api/errors/field-error';
import { goNodeSelectorTerm, goTexts } from '../../../../shared/values/go-values';
import {
  arrayAt,
  equalJson,
  stringifyJson,
  isObject,
  objectAt,
  own,
  sortedKeys,
  stringAt,
  type JsonObject,
} from '../../../../shared/values/json';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { listed } from '../../rules/field-rules';
import { APP_ARMOR, checkKnownAnnotations, MIRROR } from '../pod-template/annotations';
import { checkRange, integerAt, textAt, type Errors } from '../../rules/checks';
import { spacedImage } from '../pod-template/containers';
import { checkTolerations } from '../pod-template/tolerations';
import { specDifference } from './difference';
import { qualityOfService } from './quality-of-service';

const ONLY =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,' +
  '`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` ' +
  '(allow it to be set to 1 if it was previously negative)';

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};
const annotationsOf = (object: JsonObject): JsonObject | undefined => objectAt(readMetadata(object), 'annotations');

export function podChangeErrors(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const [spec, before] = [specOf(object), specOf(old)];
  const errors: Errors = [];
  checkAnnotationChanges(annotationsOf(object) ?? {}, annotationsOf(old) ?? {}, errors);
  checkKnownAnnotations(annotationsOf(object), spec, 'metadata.annotations', errors);
  for (const member of ['containers', 'initContainers']) {
    if (listed(spec, member).length !== listed(before, member).length) {
      errors.push(forbiddenField(`spec.${member}`, 'pod updates may not add or remove containers'));
      return errors;
    }
  }
  checkImages(spec, errors);
  const count = errors.length;
  checkDeadline(spec, before, errors);
  if (errors.length > count) return errors;
  checkMoreTolerations(spec, before, errors);
  checkFewerGates(spec, before, errors);
  const wasGated = listed(before, 'schedulingGates').length > 0;
  if (wasGated) checkNarrower(spec, before, errors);
  const quality = qualityOfService(old);
  if (quality !== qualityOfService(object)) errors.push(invalidValue('metadata', quality, 'Pod QoS is immutable'));
  const rest = withAllowed(spec, before, wasGated);
  if (!equalJson(rest, before)) errors.push(forbiddenField('spec', `${ONLY}\n${specDifference(rest, before)}`));
  return errors;
}

/** Who confines a pod, and who mirrors it, is settled when it is created. */
function checkAnnotationChanges(annotations: JsonObject, before: JsonObject, errors: Errors): void {
  for (const [matches, what] of [
    [(name: string): boolean => name.startsWith(APP_ARMOR), 'AppArmor annotations'],
    [(name: string): boolean => name === MIRROR, 'mirror pod annotation'],
  ] as const) {
    for (const key of sortedKeys(before)) {
      if (!matches(canonicalQualifiedName(key)) || own(annotations, key) === before[key]) continue;
      errors.push(forbiddenField(`metadata.annotations[${key}]`, `may not remove or update ${what}`));
    }
    for (const key of sortedKeys(annotations)) {
      if (!matches(canonicalQualifiedName(key)) || own(before, key) !== undefined) continue;
      errors.push(forbiddenField(`metadata.annotations[${key}]`, `may not add ${what}`));
    }
  }
}

function checkImages(spec: JsonObject, errors: Errors): void {
  for (const member of ['containers', 'initContainers']) {
    listed(spec, member).forEach((container, index) => {
      const image = textAt(container, 'image');
      const field = `spec.${member}[${index}].image`;
      if (image === '') errors.push(required(field));
      else if (image !== image.trim()) errors.push(spacedImage(field, image));
    });
  }
}

const LONGEST_DEADLINE = 2_147_483_647;

/** It may only come nearer. */
function checkDeadline(spec: JsonObject, before: JsonObject, errors: Errors): void {
  const field = 'spec.activeDeadlineSeconds';
  const [now, then] = [integerAt(spec, 'activeDeadlineSeconds'), integerAt(before, 'activeDeadlineSeconds')];
  if (now === undefined) {
    if (then !== undefined) errors.push(invalidAs(field, '"null"', 'must not update from a positive integer to nil value'));
    return;
  }
  const count = errors.length;
  checkRange(now, field, 0, LONGEST_DEADLINE, errors);
  if (errors.length === count && then !== undefined && now > then) {
    errors.push(invalidAs(field, String(now), 'must be less than or equal to previous value'));
  }
}

function checkMoreTolerations(spec: JsonObject, before: JsonObject, errors: Errors): void {
  const [now, then] = [listed(spec, 'tolerations'), listed(before, 'tolerations')];
  const withoutTime = (toleration: JsonObject): JsonObject => {
    const { tolerationSeconds: _seconds, ...rest } = toleration;
    return rest;
  };
  const kept = new Set(now.map((toleration) => stringifyJson(withoutTime(toleration), 'sorted')));
  if (!then.every((old) => kept.has(stringifyJson(withoutTime(old), 'sorted')))) {
    errors.push(forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'));
  } else checkTolerations(now, 'spec.tolerations', errors);
}

function checkFewerGates(spec: JsonObject, before: JsonObject, errors: Errors): void {
  const names = new Set(listed(before, 'schedulingGates').map((gate) => textAt(gate, 'name')));
  listed(spec, 'schedulingGates').forEach((gate, index) => {
    const name = textAt(gate, 'name');
    if (names.has(name)) return;
    const text = `only deletion is allowed, but found new scheduling gate '${name}'`;
    errors.push(forbiddenField(`spec.schedulingGates[${index}].name`, text));
  });
}

/** While a pod is held by gates, the nodes that it may be on can become fewer. */
function checkNarrower(spec: JsonObject, before: JsonObject, errors: Errors): void {
  const [selector, former] = [objectAt(spec, 'nodeSelector'), objectAt(before, 'nodeSelector') ?? {}];
  if (sortedKeys(former).some((key) => stringAt(selector, key) !== stringAt(former, key))) {
    const text = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
    errors.push(invalidAs('spec.nodeSelector', goTexts(selector), text));
  }
  const [terms, termsBefore] = [nodeTerms(spec), nodeTerms(before)];
  if (termsBefore === undefined || termsBefore.length === 0) return;
  const field = `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`;
  if (terms?.length !== termsBefore.length) {
    const shown = terms === undefined ? '(nil)' : `{${terms.map(goNodeSelectorTerm).join(', ')}}`;
    const text = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    errors.push(invalidAs(field, `[]core.NodeSelectorTerm${shown}`, text));
    return;
  }
  terms.forEach((term, index) => {
    const old = termsBefore[index] ?? {};
    if (TERM_LISTS.every((member) => beginsWith(listed(term, member), listed(old, member)))) return;
    errors.push(invalidAs(`${field}[${index}]`, goNodeSelectorTerm(term), 'only additions are allowed (no mutations or deletions)'));
  });
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const TERM_LISTS = ['matchExpressions', 'matchFields'];

function nodeTerms(spec: JsonObject): readonly JsonObject[] | undefined {
  const needed = objectAt(objectAt(objectAt(spec, 'affinity'), 'nodeAffinity'), REQUIRED);
  return needed === undefined ? undefined : listed(needed, 'nodeSelectorTerms');
}

const beginsWith = (items: readonly JsonObject[], first: readonly JsonObject[]): boolean =>
  first.every((item, index) => equalJson(item, items[index]));

/** `spec` with what may change taken from `before`, so that what still differs is a change that is not allowed. */
function withAllowed(spec: JsonObject, before: JsonObject, wasGated: boolean): JsonObject {
  const rest: JsonObject = { ...spec };
  for (const member of ['containers', 'initContainers']) {
    const old = arrayAt(before, member) ?? [];
    const containers = arrayAt(spec, member);
    if (containers === undefined) continue;
    rest[member] = containers.map((container, index) => {
      const other = old[index];
      return isObject(container) && isObject(other) ? takenFrom(container, other, ['image']) : container;
    });
  }
  const grace = own(before, 'terminationGracePeriodSeconds');
  const wasNegative = typeof grace === 'number' && grace < 0 && own(spec, 'terminationGracePeriodSeconds') === 1;
  const members = ['activeDeadlineSeconds', 'tolerations', 'schedulingGates', ...(wasNegative ? ['terminationGracePeriodSeconds'] : [])];
  const settled = takenFrom(rest, before, wasGated ? [...members, 'nodeSelector'] : members);
  return wasGated ? withNodeAffinity(settled, before) : settled;
}

function takenFrom(object: JsonObject, before: JsonObject, members: readonly string[]): JsonObject {
  const rest = { ...object };
  for (const member of members) {
    const value = own(before, member);
    if (value === undefined) delete rest[member];
    else rest[member] = value;
  }
  return rest;
}

/** An affinity that came or went with what it says of nodes is no difference. */
function withNodeAffinity(spec: JsonObject, before: JsonObject): JsonObject {
  const [affinity, former] = [objectAt(spec, 'affinity'), objectAt(before, 'affinity')];
  if (objectAt(affinity, 'nodeAffinity') === undefined && objectAt(former, 'nodeAffinity') === undefined) return spec;
  const settled = takenFrom(affinity ?? {}, former ?? {}, ['nodeAffinity']);
  const isGone = former === undefined && Object.keys(settled).length === 0;
  const { affinity: _affinity, ...rest } = spec;
  return isGone ? rest : { ...rest, affinity: settled };
}
