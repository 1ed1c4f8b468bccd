/**
 * PersistentVolume strategy: initial phase and sources. The source is immutable, and the node affinity once it is set.
 * Binding and reclaiming are left to the controller.
 */
import {
  createFieldError,
  forbiddenField,
  invalidShownValue,
  invalidValue,
  unsupportedValue,
  requiredValue,
  type FieldError,
} from '../../../../shared/api/errors/field-error';
import { equalJson, sortedKeys, stringAt } from '../../../../shared/values/json';
import { checkDnsSubdomain } from '../../../../shared/values/name-formats';
import { formatTimestamp } from '../../../../shared/api/metadata/object-meta';
import { compareQuantities } from '../../../../shared/values/quantity';
import { checkIfNotEmpty, type Errors } from '../../rules/checks';
import { checkNodeSelector } from '../node/node-selector';
import { warnOfNodeSelector } from '../node/deprecated-node-labels';
import { warnOfDeprecatedSources } from '../pod-template/volumes/deprecated-volume-sources';
import { UPDATE } from '../../../registry/stages';
import type { Strategy, StrategyContext } from '../../../registry/strategy';
import {
  findAnnotationName,
  betaStorageClassWarnings,
  checkAccessModes,
  checkHasAccessModes,
  checkVolumeMode,
} from '../claim/volume-checks';
import { checkMountOptions, checkPersistentVolumeSource, PERSISTENT_VOLUME_SOURCES } from './volume-sources';
import type {
  CoreV1CSIPersistentVolumeSource,
  CoreV1PersistentVolume,
  CoreV1PersistentVolumeSpec,
  CoreV1VolumeNodeAffinity,
} from '../../../../shared/api/types/generated/members';

const MOUNT_OPTIONS = 'volume.beta.platform.io/mount-options';
const POLICIES = ['Delete', 'Recycle', 'Retain'];

export const persistentVolume: Strategy<CoreV1PersistentVolume> = {
  prepareForCreate(object) {
    const created = object.metadata?.creationTimestamp ?? undefined;
    object.status = { phase: 'Pending', ...(created === undefined ? {} : { lastPhaseTransitionTime: created }) };
  },
  validate,
  update: { stages: UPDATE.objectTwiceThenChangeAlone, validate: validateUpdate },
  status: { prepareForUpdate: setPhaseTransitionTime },
  warningsOnCreate: volumeWarnings,
  warningsOnUpdate: volumeWarnings,
};

/** Sources that warn in Pods but not in PersistentVolumes (upstream behaviour). */
const SOURCES_WITHOUT_WARNING: ReadonlySet<string> = new Set(['flocker', 'quobyte']);
const RECYCLE_WARNING =
  'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';

function volumeWarnings(object: CoreV1PersistentVolume): readonly string[] {
  const { spec = {} } = object;
  const warnings = [...betaStorageClassWarnings(object)];
  const annotation = findAnnotationName(object, MOUNT_OPTIONS);
  if (annotation !== undefined) {
    warnings.push(`metadata.annotations[${annotation}]: deprecated since v1.31; use "mountOptions" attribute instead`);
  }
  if (spec.persistentVolumeReclaimPolicy === 'Recycle') warnings.push(RECYCLE_WARNING);
  warnOfNodeSelector(spec.nodeAffinity?.required, 'spec.nodeAffinity.required', warnings);
  warnOfDeprecatedSources(spec, 'spec', warnings, SOURCES_WITHOUT_WARNING);
  return warnings;
}

/**
 * Sets the current time when the phase changes, unless the client changes the transition time too. While the phase stays
 * the same, the client can change the time but not remove it.
 */
function setPhaseTransitionTime(object: CoreV1PersistentVolume, old: CoreV1PersistentVolume, { now }: StrategyContext): void {
  const status = { ...object.status };
  const requested = status.lastPhaseTransitionTime;
  const previous = old.status?.lastPhaseTransitionTime;
  if ((status.phase ?? '') !== (old.status?.phase ?? '')) {
    if (requested === undefined || requested === previous) status.lastPhaseTransitionTime = formatTimestamp(now);
  } else if (requested === undefined && previous !== undefined) status.lastPhaseTransitionTime = previous;
  object.status = status;
}

/** Mount options are validated once: here at creation, and in `validateUpdate` on updates. */
function validate(object: CoreV1PersistentVolume, old: CoreV1PersistentVolume | undefined): readonly FieldError[] {
  const errors: Errors = [];
  checkSpec(object.spec ?? {}, errors);
  if (old === undefined) checkMountOptionsAnnotation(object, errors);
  return errors;
}

function checkSpec(spec: CoreV1PersistentVolumeSpec, errors: Errors): void {
  checkHasAccessModes(spec, 'spec', errors);
  checkAccessModes(spec, 'spec', errors);
  checkCapacity(spec.capacity ?? {}, errors);
  const policy = spec.persistentVolumeReclaimPolicy ?? '';
  if (policy !== '' && !POLICIES.includes(policy)) errors.push(unsupportedValue('spec.persistentVolumeReclaimPolicy', policy, POLICIES));
  checkAffinity(spec.nodeAffinity, errors);
  checkPersistentVolumeSource(spec, errors);
  if (spec.local !== undefined && spec.nodeAffinity === undefined) {
    errors.push(requiredValue('spec.nodeAffinity', 'Local volume requires node affinity'));
  }
  if (policy === 'Recycle' && spec.hostPath?.path === '/') {
    errors.push(forbiddenField('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'"));
  }
  checkIfNotEmpty(spec, 'storageClassName', 'spec', errors, checkDnsSubdomain);
  checkVolumeMode(spec, 'spec', errors);
}

function checkMountOptionsAnnotation(object: CoreV1PersistentVolume, errors: Errors): void {
  checkMountOptions(object.spec ?? {}, findAnnotationName(object, MOUNT_OPTIONS), errors);
}

function checkCapacity(capacity: Record<string, string>, errors: Errors): void {
  const field = 'spec.capacity';
  const names = sortedKeys(capacity);
  if (names.length === 0) errors.push(requiredValue(field));
  if (names.length !== 1 || names[0] !== 'storage') {
    errors.push(createFieldError('FieldValueNotSupported', field, JSON.stringify(capacity), 'supported values: "storage"'));
  }
  for (const name of names) {
    const amount = stringAt(capacity, name) ?? '0';
    if (compareQuantities(amount, '0') < 0) {
      errors.push(invalidShownValue(`${field}[${name}]`, amount, 'must be a valid resource quantity'));
    }
    if (compareQuantities(amount, '0') <= 0) errors.push(invalidValue(`${field}[${name}]`, amount, 'must be greater than zero'));
  }
}

function checkAffinity(affinity: CoreV1VolumeNodeAffinity | undefined, errors: Errors): void {
  if (affinity === undefined) return;
  const field = 'spec.nodeAffinity.required';
  if (affinity.required === undefined) errors.push(requiredValue(field, 'must specify required node constraints'));
  else checkNodeSelector(affinity.required, field, errors);
}

function validateUpdate(object: CoreV1PersistentVolume, old: CoreV1PersistentVolume): readonly FieldError[] {
  const spec = object.spec ?? {};
  const before = old.spec ?? {};
  const errors: Errors = [];
  checkMountOptionsAnnotation(object, errors);
  const areOtherSourcesUnchanged = PERSISTENT_VOLUME_SOURCES.every(
    ({ member }) => member === 'csi' || equalJson(spec[member], before[member]),
  );
  if (!areOtherSourcesUnchanged || !isCsiSourceUnchanged(spec.csi, before.csi)) {
    errors.push(forbiddenField('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation'));
  }
  // The field paths of the next two errors lack `spec` (upstream behaviour).
  const mode = spec.volumeMode;
  if (mode !== before.volumeMode) errors.push(invalidValue('volumeMode', mode ?? null, 'field is immutable'));
  const affinity = spec.nodeAffinity;
  const oldAffinity = before.nodeAffinity;
  if (oldAffinity !== undefined && (affinity === undefined || !equalJson(affinity, oldAffinity))) {
    errors.push(invalidValue('nodeAffinity', affinity ?? 'null', 'field is immutable, except for updating from beta label to GA'));
  }
  return errors;
}

/** References to the expansion secrets are newer than many volumes and may be added. */
const ADDABLE_SECRET_REFS = ['controllerExpandSecretRef', 'nodeExpandSecretRef'] as const;

function isCsiSourceUnchanged(
  source: CoreV1CSIPersistentVolumeSource | undefined,
  old: CoreV1CSIPersistentVolumeSource | undefined,
): boolean {
  if (source === undefined || old === undefined) return source === old;
  const comparable = { ...source };
  for (const member of ADDABLE_SECRET_REFS) {
    if (old[member] === undefined) delete comparable[member];
  }
  return equalJson(comparable, old);
}
