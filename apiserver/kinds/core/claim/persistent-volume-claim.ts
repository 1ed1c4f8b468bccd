/**
 * PersistentVolumeClaim strategy: initial phase, data sources and requested storage. An update of the spec may only set
 * a volume name or class where there was none, and increase the requested storage of a bound claim. Binding is left to
 * the controller.
 */
import { forbiddenField, invalidShownValue, invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { cloneJson, equalJson, sortedKeys, stringAt } from '../../../../shared/values/json';
import { compareQuantities, parseQuantity } from '../../../../shared/values/quantity';
import { SNAPSHOT_GROUPS } from '../../../../shared/names/dialect';
import { checkClaimSpec } from './claim-spec';
import type { Errors } from '../../rules/checks';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';
import { BETA_STORAGE_CLASS } from '../../../../shared/names/storage';
import { findAnnotationName, betaStorageClassWarnings } from './volume-checks';
import type {
  CoreV1PersistentVolumeClaim,
  CoreV1PersistentVolumeClaimSpec,
  CoreV1TypedLocalObjectReference,
} from '../../../../shared/api/types/generated/members';

export const persistentVolumeClaim: Strategy<CoreV1PersistentVolumeClaim> = {
  prepareForCreate(object) {
    object.status = { phase: 'Pending' };
    normalizeDataSources(object, {});
  },
  validate: validateSpec,
  update: {
    prepareForUpdate: (object, old) => normalizeDataSources(object, old.spec ?? {}),
    stages: UPDATE.objectAroundMetadataThenChange,
    validate: validateUpdate,
  },
  status: { validate: (object) => validateCapacity(object.status?.capacity) },
  warningsOnCreate: claimWarnings,
  warningsOnUpdate: claimWarnings,
};

function claimWarnings(object: CoreV1PersistentVolumeClaim): readonly string[] {
  return [...betaStorageClassWarnings(object), ...fractionWarnings(object)];
}

const storageOf = (spec: CoreV1PersistentVolumeClaimSpec): string | undefined => spec.resources?.requests?.['storage'];

/**
 * Synchronizes `dataSource` and `dataSourceRef`. Before that, drops what is not supported: a `dataSource` that is neither
 * a claim nor a snapshot, and a `dataSourceRef` to another namespace, which needs a disabled feature. A field that the
 * stored object has is not dropped; validation decides about its new value.
 */
function normalizeDataSources(object: CoreV1PersistentVolumeClaim, before: CoreV1PersistentVolumeClaimSpec): void {
  const spec = object.spec;
  if (spec === undefined) return;
  if (before.dataSource === undefined && !isClaimOrSnapshot(spec.dataSource)) delete spec.dataSource;
  if (before.dataSourceRef === undefined && (spec.dataSourceRef?.namespace ?? '') !== '') delete spec.dataSourceRef;
  const dataSource = spec.dataSource;
  const dataSourceRef = spec.dataSourceRef;
  if (dataSource !== undefined && dataSourceRef === undefined) spec.dataSourceRef = cloneJson(dataSource);
  if (dataSourceRef !== undefined && dataSource === undefined) spec.dataSource = cloneJson(dataSourceRef);
}

function isClaimOrSnapshot(source: CoreV1TypedLocalObjectReference | undefined): boolean {
  const group = source?.apiGroup ?? '';
  const kind = source?.kind;
  return (group === '' && kind === 'PersistentVolumeClaim') || (SNAPSHOT_GROUPS.has(group) && kind === 'VolumeSnapshot');
}

function validateSpec(object: CoreV1PersistentVolumeClaim, old: CoreV1PersistentVolumeClaim | undefined): readonly FieldError[] {
  const errors: Errors = [];
  checkClaimSpec(object.spec ?? {}, old?.spec, 'spec', errors);
  return errors;
}

const IMMUTABLE = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

function validateUpdate(object: CoreV1PersistentVolumeClaim, old: CoreV1PersistentVolumeClaim): readonly FieldError[] {
  const spec = object.spec ?? {};
  const before = old.spec ?? {};
  const errors: Errors = [];
  checkClassAnnotationUnchanged(object, old, errors);
  if (!equalJson(revertMutableFields(spec, old), before)) errors.push(forbiddenField('spec', IMMUTABLE));
  const storage = storageOf(spec);
  const oldStorage = storageOf(before);
  if (oldStorage !== undefined && compareQuantities(storage ?? '0', oldStorage) < 0) {
    errors.push(forbiddenField('spec.resources.requests.storage', 'field can not be less than previous value'));
  }
  const mode = spec.volumeMode;
  if (mode !== before.volumeMode) errors.push(invalidValue('volumeMode', mode ?? null, 'field is immutable'));
  return errors;
}

/** The storage class annotation is immutable. */
function checkClassAnnotationUnchanged(object: CoreV1PersistentVolumeClaim, old: CoreV1PersistentVolumeClaim, errors: Errors): void {
  const name = findAnnotationName(object, BETA_STORAGE_CLASS);
  const oldName = findAnnotationName(old, BETA_STORAGE_CLASS);
  const valueOf = (claim: CoreV1PersistentVolumeClaim, key: string | undefined): string =>
    key === undefined ? '' : (stringAt(claim.metadata?.annotations, key) ?? '');
  const value = valueOf(object, name);
  if (value === valueOf(old, oldName)) return;
  errors.push(invalidValue(`metadata.annotations.${name ?? oldName ?? BETA_STORAGE_CLASS}`, value, 'field is immutable'));
}

/**
 * Returns `spec` with the allowed changes reverted: a volume name or class where there was none, and the storage
 * request of a bound claim.
 */
function revertMutableFields(
  spec: CoreV1PersistentVolumeClaimSpec,
  { spec: before = {}, status }: CoreV1PersistentVolumeClaim,
): CoreV1PersistentVolumeClaimSpec {
  const reverted = { ...spec };
  for (const member of ['volumeName', 'storageClassName'] as const) {
    if (before[member] === undefined) delete reverted[member];
  }
  const storage = storageOf(before);
  if (status?.phase === 'Bound' && storage !== undefined) {
    reverted.resources = { ...spec.resources, requests: { ...spec.resources?.requests, storage } };
  }
  return reverted;
}

function validateCapacity(capacity: Record<string, string> | undefined): readonly FieldError[] {
  const errors: Errors = [];
  for (const name of sortedKeys(capacity ?? {})) {
    const amount = stringAt(capacity, name) ?? '0';
    if (compareQuantities(amount, '0') >= 0) continue;
    errors.push(invalidShownValue(`status.capacity[${name}]`, amount, 'must be a valid resource quantity'));
  }
  return errors;
}

const NANOS_PER_BYTE = 1_000_000_000n;

/** Warns about quantities of storage that are not whole bytes. */
function fractionWarnings(object: CoreV1PersistentVolumeClaim): readonly string[] {
  const resources = object.spec?.resources;
  return (['requests', 'limits'] as const).flatMap((member) => {
    const amount = resources?.[member]?.['storage'];
    if (amount === undefined || parseQuantity(amount).nanos % NANOS_PER_BYTE === 0n) return [];
    return [`spec.resources.${member}[storage]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`];
  });
}
