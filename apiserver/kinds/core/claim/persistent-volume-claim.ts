/** PersistentVolumeClaim: the phase in which it begins, the two names of its source, what it may ask for, and what of it may change. */
import { append } from '../../../../shared/values/append';
import { forbiddenField, invalidAs, invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { cloneJson, equalJson, objectAt, own, sortedKeys, stringAt, type JsonObject } from '../../../../shared/values/json';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { compareQuantities, parseQuantity } from '../../../../shared/values/quantity';
import { SNAPSHOT_GROUPS } from '../../../../shared/names/dialect';
import { checkClaimSpec } from './claim-spec';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';
import { annotationName, CLASS_ANNOTATION, carriedClassWarnings } from './access-modes';

export const persistentVolumeClaim: Strategy = {
  prepareForCreate(object) {
    object['status'] = { phase: 'Pending' };
    settleSource(object);
  },
  validate: (object, old) => specErrors(specOf(object), old === undefined ? undefined : specOf(old)),
  update: { prepareForUpdate: settleSource, stages: UPDATE.objectTwiceThenChangeAlone, validate: changeErrors },
  status: { validate: (object) => capacityErrors(objectAt(objectAt(object, 'status'), 'capacity')) },
  warningsOnCreate: claimWarnings,
  warningsOnUpdate: claimWarnings,
};

function claimWarnings(object: JsonObject): readonly string[] {
  return [...carriedClassWarnings(object), ...fractionWarnings(object)];
}

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};
const storageOf = (spec: JsonObject): string | undefined => stringAt(objectAt(objectAt(spec, 'resources'), 'requests'), 'storage');

/**
 * The older member and the newer one say the same. The older one knows claims and snapshots only; sources in another namespace are a feature that
 * is off.
 */
function settleSource(object: JsonObject): void {
  const spec = objectAt(object, 'spec');
  if (spec === undefined) return;
  if (!isKnownSource(objectAt(spec, 'dataSource'))) delete spec['dataSource'];
  if ((stringAt(objectAt(spec, 'dataSourceRef'), 'namespace') ?? '') !== '') delete spec['dataSourceRef'];
  const [older, newer] = [objectAt(spec, 'dataSource'), objectAt(spec, 'dataSourceRef')];
  if (older !== undefined && newer === undefined) spec['dataSourceRef'] = cloneJson(older);
  if (newer !== undefined && older === undefined) spec['dataSource'] = cloneJson(newer);
}

function isKnownSource(source: JsonObject | undefined): boolean {
  const [group, kind] = [stringAt(source, 'apiGroup') ?? '', stringAt(source, 'kind')];
  return (group === '' && kind === 'PersistentVolumeClaim') || (SNAPSHOT_GROUPS.has(group) && kind === 'VolumeSnapshot');
}

function specErrors(spec: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const errors: FieldError[] = [];
  checkClaimSpec(spec, old, 'spec', errors);
  return errors;
}

const IMMUTABLE = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

function changeErrors(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const [spec, before] = [specOf(object), specOf(old)];
  const errors: FieldError[] = [];
  const isBound = stringAt(objectAt(old, 'status'), 'phase') === 'Bound';
  append(errors, carriedClassErrors(object, old));
  if (!equalJson(withAllowed(spec, before, isBound), before)) errors.push(forbiddenField('spec', IMMUTABLE));
  const [storage, former] = [storageOf(spec), storageOf(before)];
  if (former !== undefined && compareQuantities(storage ?? '0', former) < 0) {
    errors.push(forbiddenField('spec.resources.requests.storage', 'field can not be less than previous value'));
  }
  const mode = stringAt(spec, 'volumeMode');
  if (mode !== stringAt(before, 'volumeMode')) errors.push(invalidValue('volumeMode', mode ?? null, 'field is immutable'));
  return errors;
}

/** The class in an annotation stays as it is. */
function carriedClassErrors(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const [name, former] = [annotationName(object, CLASS_ANNOTATION), annotationName(old, CLASS_ANNOTATION)];
  const valueOf = (claim: JsonObject, key: string | undefined): string =>
    key === undefined ? '' : (stringAt(objectAt(readMetadata(claim), 'annotations'), key) ?? '');
  const value = valueOf(object, name);
  if (value === valueOf(old, former)) return [];
  return [invalidValue(`metadata.annotations.${name ?? former ?? CLASS_ANNOTATION}`, value, 'field is immutable')];
}

/** `spec` without the changes that are allowed: a volume and a class where there were none, and more of a bound one. */
function withAllowed(spec: JsonObject, before: JsonObject, isBound: boolean): JsonObject {
  const rest: JsonObject = { ...spec };
  for (const member of ['volumeName', 'storageClassName']) if (own(before, member) === undefined) delete rest[member];
  const [resources, storage] = [objectAt(spec, 'resources'), storageOf(before)];
  if (isBound && storage !== undefined) rest['resources'] = { ...resources, requests: { ...objectAt(resources, 'requests'), storage } };
  return rest;
}

function capacityErrors(capacity: JsonObject | undefined): readonly FieldError[] {
  return sortedKeys(capacity ?? {}).flatMap((name) => {
    const amount = stringAt(capacity, name) ?? '0';
    if (compareQuantities(amount, '0') >= 0) return [];
    return [invalidAs(`status.capacity[${name}]`, amount, 'must be a valid resource quantity')];
  });
}

function fractionWarnings(object: JsonObject): readonly string[] {
  const resources = objectAt(specOf(object), 'resources');
  return ['limits', 'requests'].flatMap((member) => {
    const amount = stringAt(objectAt(resources, member), 'storage');
    if (amount === undefined || parseQuantity(amount).nanos % 1_000_000_000n === 0n) return [];
    return [`spec.resources.${member}[storage]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`];
  });
}
