/** PersistentVolume: the phase in which it begins, what it may be made of, and what of it stays. */
import { append } from '../../../../shared/values/append';
import {
  fieldErrorAs,
  forbiddenField,
  invalidAs,
  invalidValue,
  notSupported,
  required,
  type FieldError,
} from '../../../../shared/api/errors/field-error';
import { equalJson, objectAt, own, sortedKeys, stringAt, type JsonObject } from '../../../../shared/values/json';
import { dnsSubdomain } from '../../../../shared/values/name-formats';
import { readMetadata, timestamp } from '../../../../shared/api/metadata/object-meta';
import { compareQuantities } from '../../../../shared/values/quantity';
import { misnamed } from '../../rules/field-rules';
import { checkNodeSelector } from '../node/node-selector';
import { UPDATE } from '../../../registry/stages';
import type { Strategy, StrategyContext } from '../../../registry/strategy';
import { accessModeErrors, annotationName, carriedClassWarnings, noAccessModes, volumeModeErrors } from '../claim/access-modes';
import { checkSources, mountOptionErrors, SOURCES } from './volume-sources';

const MOUNT_OPTIONS = 'volume.beta.platform.io/mount-options';
const POLICIES = ['Delete', 'Recycle', 'Retain'];

export const persistentVolume: Strategy = {
  prepareForCreate(object) {
    object['status'] = { phase: 'Pending', lastPhaseTransitionTime: stringAt(readMetadata(object), 'creationTimestamp') ?? null };
  },
  validate: (object, old) => [...specErrors(specOf(object)), ...(old === undefined ? optionErrors(object) : [])],
  // What is said once of a new volume is said once of a changed one.
  update: { stages: UPDATE.objectTwiceThenChangeAlone, validate: (object, old) => [...optionErrors(object), ...changeErrors(object, old)] },
  status: { prepareForUpdate: stampPhase },
  warningsOnCreate: volumeWarnings,
  warningsOnUpdate: volumeWarnings,
};

function volumeWarnings(object: JsonObject): readonly string[] {
  const isRecycled = stringAt(specOf(object), 'persistentVolumeReclaimPolicy') === 'Recycle';
  return [...carriedClassWarnings(object), ...(isRecycled ? [RECYCLED] : [])];
}

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};

/** The time of the last phase is set by whoever says it, else by the clock when the phase changes. */
function stampPhase(object: JsonObject, old: JsonObject, { now }: StrategyContext): void {
  const member = 'lastPhaseTransitionTime';
  const status: JsonObject = { ...objectAt(object, 'status') };
  const before = objectAt(old, 'status') ?? {};
  const [sent, former] = [own(status, member), own(before, member)];
  const isSamePhase = (stringAt(status, 'phase') ?? '') === (stringAt(before, 'phase') ?? '');
  if (isSamePhase ? sent === undefined && former !== undefined : sent === undefined || sent === former) {
    status[member] = isSamePhase ? (former ?? null) : timestamp(now);
  }
  object['status'] = status;
}

const RECYCLED =
  'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';

function specErrors(spec: JsonObject): readonly FieldError[] {
  const policy = stringAt(spec, 'persistentVolumeReclaimPolicy') ?? '';
  const errors = [...noAccessModes(spec, 'spec'), ...accessModeErrors(spec, 'spec'), ...capacityErrors(objectAt(spec, 'capacity'))];
  if (policy !== '' && !POLICIES.includes(policy)) errors.push(notSupported('spec.persistentVolumeReclaimPolicy', policy, POLICIES));
  append(errors, affinityErrors(objectAt(spec, 'nodeAffinity')));
  checkSources(spec, errors);
  if (own(spec, 'local') !== undefined && objectAt(spec, 'nodeAffinity') === undefined) {
    errors.push(required('spec.nodeAffinity', 'Local volume requires node affinity'));
  }
  if (policy === 'Recycle' && stringAt(objectAt(spec, 'hostPath'), 'path') === '/') {
    errors.push(forbiddenField('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'"));
  }
  const storageClass = stringAt(spec, 'storageClassName') ?? '';
  if (storageClass !== '') append(errors, misnamed(storageClass, 'spec.storageClassName', dnsSubdomain));
  return [...errors, ...volumeModeErrors(spec, 'spec')];
}

function optionErrors(object: JsonObject): readonly FieldError[] {
  return mountOptionErrors(specOf(object), annotationName(object, MOUNT_OPTIONS));
}

function capacityErrors(capacity: JsonObject | undefined): readonly FieldError[] {
  const field = 'spec.capacity';
  const names = sortedKeys(capacity ?? {});
  const errors: FieldError[] = names.length === 0 ? [required(field)] : [];
  if (names.length !== 1 || names[0] !== 'storage') {
    errors.push(fieldErrorAs('FieldValueNotSupported', field, JSON.stringify(capacity ?? {}), 'supported values: "storage"'));
  }
  for (const name of names) {
    const amount = stringAt(capacity, name) ?? '0';
    if (compareQuantities(amount, '0') < 0) errors.push(invalidAs(`${field}[${name}]`, amount, 'must be a valid resource quantity'));
    if (compareQuantities(amount, '0') <= 0) errors.push(invalidValue(`${field}[${name}]`, amount, 'must be greater than zero'));
  }
  return errors;
}

function affinityErrors(affinity: JsonObject | undefined): readonly FieldError[] {
  if (affinity === undefined) return [];
  const wanted = objectAt(affinity, 'required');
  if (wanted === undefined) return [required('spec.nodeAffinity.required', 'must specify required node constraints')];
  const errors: FieldError[] = [];
  checkNodeSelector(wanted, 'spec.nodeAffinity.required', errors);
  return errors;
}

function changeErrors(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const [spec, before] = [specOf(object), specOf(old)];
  const errors: FieldError[] = [];
  if (!SOURCES.every(({ member }) => isSameSource(spec, before, member))) {
    errors.push(forbiddenField('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation'));
  }
  const mode = stringAt(spec, 'volumeMode');
  if (mode !== stringAt(before, 'volumeMode')) errors.push(invalidValue('volumeMode', mode ?? null, 'field is immutable'));
  const [affinity, former] = [objectAt(spec, 'nodeAffinity'), objectAt(before, 'nodeAffinity')];
  if (former !== undefined && !(affinity !== undefined && equalJson(affinity, former))) {
    errors.push(invalidValue('nodeAffinity', affinity ?? 'null', 'field is immutable, except for updating from beta label to GA'));
  }
  return errors;
}

/** References to the secrets for expanding are newer than many volumes, and may be added. */
const ADDABLE = ['controllerExpandSecretRef', 'nodeExpandSecretRef'];

function isSameSource(spec: JsonObject, before: JsonObject, member: string): boolean {
  const [source, former] = [objectAt(spec, member), objectAt(before, member)];
  if (source === undefined || former === undefined) return source === former;
  if (member !== 'csi') return equalJson(source, former);
  const added = ADDABLE.filter((name) => own(former, name) === undefined);
  return equalJson(Object.fromEntries(Object.entries(source).filter(([name]) => !added.includes(name))), former);
}
