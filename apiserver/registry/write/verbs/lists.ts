/**
 * The steps of each verb, in order. The names follow `rest.BeforeCreate`, `rest.BeforeUpdate` and `Store` of release
 * 1.31; each step's contract is documented at its function. The executor runs the lists.
 */
import type { ObjectStart, WriteOutcome } from '../steps/attempt';
import { admitDeletion, authorizeCreate, mutatingAdmission, reserveQuota, validatingAdmission } from '../steps/admit';
import { applyEdit, commitEdited, decodeEdited, encodeEdited, type EditStart } from '../steps/edit';
import * as strategySteps from '../steps/run-strategy';
import { applyDefaults, convertToStorage, decodeChange, decodeAbsent, decodeNew, updateManagedFields } from '../steps/decode';
import * as deletionSteps from '../steps/delete';
import { StepList } from '../steps/step';
import { commitChange, commitNew, encodeChange, encodeNew } from '../steps/store';

/** The optional steps of a list. */
interface OptionalSteps {
  /** False when the source of the object has updated them. */
  readonly updateManagedFields: boolean;
  /** Whether `create` is authorized here, because the request was authorized for another verb. */
  readonly authorizeCreate: boolean;
  /** Whether addresses and ports are allocated, as for endpoints that write the spec. */
  readonly allocate: boolean;
}

const creationSteps = (decode: typeof decodeNew, has: Omit<OptionalSteps, 'allocate'>): StepList<ObjectStart, WriteOutcome> =>
  StepList.from<ObjectStart>()
    .step('decode', decode)
    .step('default', applyDefaults)
    .step('convertToStorage', convertToStorage)
    .stepIf(has.updateManagedFields, 'updateManagedFields', updateManagedFields)
    .step('mutatingAdmission', mutatingAdmission)
    .step('stampMetadata', strategySteps.stampNewMetadata)
    .step('allocate', strategySteps.allocate)
    .step('prepare', strategySteps.prepareForCreate)
    .step('validate', strategySteps.validateNew)
    .step('canonicalize', strategySteps.canonicalize)
    .stepIf(has.authorizeCreate, 'authorizeCreate', authorizeCreate)
    .step('validatingAdmission', validatingAdmission)
    .step('convertToStorage', strategySteps.convertByWebhook)
    .step('reserveQuota', reserveQuota)
    .step('encode', encodeNew)
    .step('commit', commitNew);

/** POST. */
export const CREATE = creationSteps(decodeNew, { updateManagedFields: true, authorizeCreate: false });
/** PUT of an absent object, for kinds that allow it. */
export const CREATE_ON_UPDATE = creationSteps(decodeAbsent, { updateManagedFields: true, authorizeCreate: true });
/** Apply of an absent object. */
export const CREATE_ON_APPLY = creationSteps(decodeAbsent, { updateManagedFields: false, authorizeCreate: true });

const changeSteps = (has: Omit<OptionalSteps, 'authorizeCreate'>): StepList<ObjectStart, WriteOutcome> =>
  StepList.from<ObjectStart>()
    .step('decode', decodeChange)
    .step('default', applyDefaults)
    .step('convertToStorage', convertToStorage)
    .stepIf(has.updateManagedFields, 'updateManagedFields', updateManagedFields)
    .step('mutatingAdmission', mutatingAdmission)
    .step('stampMetadata', strategySteps.stampChangedMetadata)
    .stepIf(has.allocate, 'allocate', strategySteps.allocate)
    .step('prepare', strategySteps.prepareForUpdate)
    .step('validate', strategySteps.validateChange)
    .step('canonicalize', strategySteps.canonicalize)
    .step('validatingAdmission', validatingAdmission)
    .step('convertToStorage', strategySteps.convertByWebhook)
    .step('reserveQuota', reserveQuota)
    .step('encode', encodeChange)
    .step('commit', commitChange);

/** PUT and PATCH. */
export const UPDATE = changeSteps({ updateManagedFields: true, allocate: true });
/** PUT and PATCH of status, approval, finalize and ephemeralcontainers. */
export const UPDATE_SUBRESOURCE = changeSteps({ updateManagedFields: true, allocate: false });
/** A server-side apply. */
export const APPLY = changeSteps({ updateManagedFields: false, allocate: true });
/** Apply of a subresource, and every write of a scale: in both the source updates managedFields. */
export const APPLY_SUBRESOURCE = changeSteps({ updateManagedFields: false, allocate: false });

/** DELETE, and an admitted eviction. */
export const DELETE = StepList.from<deletionSteps.DeletionStart>()
  .step('decode', deletionSteps.decodeDeletion)
  .step('mutatingAdmission', admitDeletion)
  .step('validatingAdmission', validatingAdmission)
  .step('prepare', deletionSteps.prepareForDeletion)
  .step('encode', deletionSteps.encodeMarked)
  .step('commit', deletionSteps.commitDeletion);

/** The second transaction of a DELETE, which removes a marked object. */
export const FINAL_DELETE = StepList.from<deletionSteps.FinalDeletionStart>()
  .step('decode', deletionSteps.decodeMarked)
  .step('commit', deletionSteps.commitFinalDeletion);

/** A binding, a condition of an eviction, a computed status. */
export const EDIT = StepList.from<EditStart>()
  .step('decode', decodeEdited)
  .step('prepare', applyEdit)
  .step('encode', encodeEdited)
  .step('commit', commitEdited);
