/**
 * What each verb does, step by step. The names are those of release 1.31's `rest.BeforeCreate`, `rest.BeforeUpdate` and `Store`; the contract of a step
 * stands above its function. Runs nothing: see executor/.
 */
import type { ObjectStart, WriteOutcome } from '../steps/attempt';
import { admitDeletion, authorizeCreate, mutatingAdmission, reserveQuota, validatingAdmission } from '../steps/admit';
import { applyEdit, commitEdited, decodeEdited, encodeEdited, type EditStart } from '../steps/edit';
import * as judge from '../steps/run-strategy';
import { applyDefaults, convertToStorage, decodeChange, decodeMissing, decodeNew, updateManagedFields } from '../steps/decode';
import * as remove from '../steps/delete';
import { StepList } from '../steps/step';
import { commitChange, commitNew, encodeChange, encodeNew } from '../steps/store';

interface CreationSteps {
  /** Absent where the source of the object has recorded its owners. */
  readonly updateManagedFields: boolean;
  /** Of a request that has been authorized for another verb. */
  readonly authorizeCreate: boolean;
}

const creation = (decode: typeof decodeNew, has: CreationSteps): StepList<ObjectStart, WriteOutcome> =>
  StepList.from<ObjectStart>()
    .step('decode', decode)
    .step('default', applyDefaults)
    .step('convertToStorage', convertToStorage)
    .stepIf(has.updateManagedFields, 'updateManagedFields', updateManagedFields)
    .step('mutatingAdmission', mutatingAdmission)
    .step('stampMetadata', judge.stampNew)
    .step('allocate', judge.allocate)
    .step('prepare', judge.prepareForCreate)
    .step('validate', judge.validateNew)
    .step('canonicalize', judge.canonicalize)
    .stepIf(has.authorizeCreate, 'authorizeCreate', authorizeCreate)
    .step('validatingAdmission', validatingAdmission)
    .step('convertToStorage', judge.convertByWebhook)
    .step('reserveQuota', reserveQuota)
    .step('encode', encodeNew)
    .step('commit', commitNew);

/** POST. */
export const CREATE = creation(decodeNew, { updateManagedFields: true, authorizeCreate: false });
/** A PUT that finds nothing, of kinds that a PUT may create. */
export const CREATE_ON_UPDATE = creation(decodeMissing, { updateManagedFields: true, authorizeCreate: true });
/** An apply that finds nothing. */
export const CREATE_ON_APPLY = creation(decodeMissing, { updateManagedFields: false, authorizeCreate: true });

interface ChangeSteps {
  /** Absent where the source of the object has recorded its owners. */
  readonly updateManagedFields: boolean;
  /** Only where the endpoint writes the spec. */
  readonly allocate: boolean;
}

const change = (has: ChangeSteps): StepList<ObjectStart, WriteOutcome> =>
  StepList.from<ObjectStart>()
    .step('decode', decodeChange)
    .step('default', applyDefaults)
    .step('convertToStorage', convertToStorage)
    .stepIf(has.updateManagedFields, 'updateManagedFields', updateManagedFields)
    .step('mutatingAdmission', mutatingAdmission)
    .step('stampMetadata', judge.stampChanged)
    .stepIf(has.allocate, 'allocate', judge.allocate)
    .step('prepare', judge.prepareForUpdate)
    .step('validate', judge.validateChange)
    .step('canonicalize', judge.canonicalize)
    .step('validatingAdmission', validatingAdmission)
    .step('convertToStorage', judge.convertByWebhook)
    .step('reserveQuota', reserveQuota)
    .step('encode', encodeChange)
    .step('commit', commitChange);

/** PUT and PATCH. */
export const UPDATE = change({ updateManagedFields: true, allocate: true });
/** PUT and PATCH of a status, an approval, finalizers or ephemeral containers. */
export const UPDATE_SUBRESOURCE = change({ updateManagedFields: true, allocate: false });
/** A server-side apply. */
export const APPLY = change({ updateManagedFields: false, allocate: true });
/** A server-side apply of a subresource, and every write of a scale, whose source records the owners of the number. */
export const APPLY_SUBRESOURCE = change({ updateManagedFields: false, allocate: false });

/** DELETE, and an eviction that the budgets allow. */
export const DELETE = StepList.from<remove.DeletionStart>()
  .step('decode', remove.decodeDeletion)
  .step('mutatingAdmission', admitDeletion)
  .step('validatingAdmission', validatingAdmission)
  .step('prepare', remove.prepareForDeletion)
  .step('encode', remove.encodeMarked)
  .step('commit', remove.commitDeletion);

/** The second transaction of a DELETE, of an object that is marked and may go at once. */
export const FINAL_DELETE = StepList.from<remove.FinalDeletionStart>()
  .step('decode', remove.decodeMarked)
  .step('commit', remove.commitFinalDeletion);

/** A binding, the marks of an eviction, a status that the server has worked out. */
export const EDIT = StepList.from<EditStart>()
  .step('decode', decodeEdited)
  .step('prepare', applyEdit)
  .step('encode', encodeEdited)
  .step('commit', commitEdited);
