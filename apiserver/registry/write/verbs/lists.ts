/**
 * The steps of each verb, in order, and the choice of the list for a request. The names follow `rest.BeforeCreate`,
 * `rest.BeforeUpdate` and `Store` of release 1.31; each step's contract is documented at its function. A change of an absent
 * object becomes a create, so its list follows from the state of each attempt. Runs on the server's thread and in worker
 * threads; what runs the steps is up to the StepRunner.
 */
import type { MaybePromise } from '../../../../shared/runtime/maybe-promise';
import type { DeleteOptions, WriteOptions } from '../../verbs';
import type { CurrentState } from '../current-state';
import type { WriteRequest } from '../request';
import type { ObjectSource, ObjectStart, WriteOutcome } from '../steps/attempt';
import { admitDeletion, authorizeCreate, mutatingAdmission, reserveQuota, validatingAdmission } from '../steps/admit';
import { applyEdit, commitEdited, decodeEdited, encodeEdited, type EditStart } from '../steps/edit';
import * as strategySteps from '../steps/run-strategy';
import { applyDefaults, convertToStorage, decodeChange, decodeAbsent, decodeNew, updateManagedFields } from '../steps/decode';
import * as deletionSteps from '../steps/delete';
import type { Step, StepName, StepRunner } from '../steps/step';
import { commitChange, commitNew, encodeChange, encodeNew } from '../steps/store';

/** A list in which a step needs facts that no earlier step provides does not compile. */
class StepList<In, Out> {
  private constructor(readonly run: (attempt: In, runner: StepRunner) => MaybePromise<Out>) {}

  /** An empty list for attempts that start with `Start`. */
  static from<Start>(): StepList<Start, Start> {
    return new StepList<Start, Start>((attempt) => attempt);
  }

  /** Adds a step that takes the result of the steps before. */
  step<Next>(name: StepName, step: Step<Out, Next>): StepList<In, Next> {
    return new StepList((attempt, runner) => {
      const result = this.run(attempt, runner);
      return result instanceof Promise
        ? result.then((attemptOfStep) => runner.run(name, step, attemptOfStep))
        : runner.run(name, step, result);
    });
  }

  /** Adds an optional step, which must not change the type of the attempt. */
  stepIf(isIncluded: boolean, name: StepName, step: Step<Out, Out>): StepList<In, Out> {
    return isIncluded ? this.step(name, step) : this;
  }
}

/** The optional steps of a list. */
interface OptionalSteps {
  /** False when the source of the object has updated them. */
  readonly updateManagedFields: boolean;
  /** Whether `create` is authorized here, because the request was authorized for another verb. */
  readonly authorizeCreate: boolean;
  /** Whether addresses and ports are allocated, as for endpoints that write the spec. */
  readonly allocate: boolean;
}

/** The steps of a verb that writes the object of the request. */
type ObjectSteps = StepList<ObjectStart, WriteOutcome>;

const creationSteps = (decode: typeof decodeNew, has: Omit<OptionalSteps, 'allocate'>): ObjectSteps =>
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
const CREATE = creationSteps(decodeNew, { updateManagedFields: true, authorizeCreate: false });
/** PUT of an absent object, for kinds that allow it. */
const CREATE_ON_UPDATE = creationSteps(decodeAbsent, { updateManagedFields: true, authorizeCreate: true });
/** Apply of an absent object. */
const CREATE_ON_APPLY = creationSteps(decodeAbsent, { updateManagedFields: false, authorizeCreate: true });

const changeSteps = (has: Omit<OptionalSteps, 'authorizeCreate'>): ObjectSteps =>
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

/** PUT and PATCH of the main endpoint. */
const UPDATE = changeSteps({ updateManagedFields: true, allocate: true });
/** PUT and PATCH of status, approval, finalize and ephemeralcontainers. */
const UPDATE_SUBRESOURCE = changeSteps({ updateManagedFields: true, allocate: false });
/** Apply of the main endpoint. */
const APPLY = changeSteps({ updateManagedFields: false, allocate: true });
/** Apply of a subresource, and every write of a scale: in both the source updates managedFields. */
const APPLY_SUBRESOURCE = changeSteps({ updateManagedFields: false, allocate: false });

/** DELETE, and an admitted eviction. */
const DELETE = StepList.from<deletionSteps.DeletionStart>()
  .step('decode', deletionSteps.decodeDeletion)
  .step('mutatingAdmission', admitDeletion)
  .step('validatingAdmission', validatingAdmission)
  .step('prepare', deletionSteps.prepareForDeletion)
  .step('encode', deletionSteps.encodeMarked)
  .step('commit', deletionSteps.commitDeletion);

/** The second transaction of a DELETE, which removes a marked object. */
const FINAL_DELETE = StepList.from<deletionSteps.FinalDeletionStart>()
  .step('decode', deletionSteps.decodeMarked)
  .step('commit', deletionSteps.commitFinalDeletion);

/** A binding, a condition of an eviction, a computed status. */
const EDIT = StepList.from<EditStart>()
  .step('decode', decodeEdited)
  .step('prepare', applyEdit)
  .step('encode', encodeEdited)
  .step('commit', commitEdited);

/** Runs the steps of one attempt on the given state. */
export type WritePlan = (current: CurrentState, runner: StepRunner) => MaybePromise<WriteOutcome>;

/** POST. `name`: of the object; may be generated. */
export const planCreate =
  (request: WriteRequest, name: string, source: ObjectSource, options: WriteOptions): WritePlan =>
  (current, runner) =>
    CREATE.run({ request, current, name, source, options }, runner);

/** PUT or PATCH: changes the stored object, or creates an absent one if the verb allows it. */
export const planChange =
  (request: WriteRequest, source: ObjectSource, options: WriteOptions): WritePlan =>
  (current, runner) => {
    const { name } = request;
    const list = current.entry === undefined ? listForAbsent(source) : listForExisting(request, source);
    const effectiveRequest = current.entry === undefined ? { ...request, isCreateOnUpdate: true as const } : request;
    return list.run({ request: effectiveRequest, current, name, source, options }, runner);
  };

/** For a PATCH, and a PUT of a kind that does not allow it, the first step of the list (decodeAbsent) rejects with 404. */
const listForAbsent = ({ verb }: ObjectSource): ObjectSteps => (verb === 'apply' ? CREATE_ON_APPLY : CREATE_ON_UPDATE);

function listForExisting({ subresource }: WriteRequest, { verb }: ObjectSource): ObjectSteps {
  if (subresource === 'scale') return APPLY_SUBRESOURCE;
  if (subresource === undefined) return verb === 'apply' ? APPLY : UPDATE;
  return verb === 'apply' ? APPLY_SUBRESOURCE : UPDATE_SUBRESOURCE;
}

/** DELETE, in its first transaction. */
export const planDelete =
  (request: WriteRequest, options: DeleteOptions): WritePlan =>
  (current, runner) =>
    DELETE.run({ request, current, options }, runner);

/** DELETE, in its second transaction. `uid`: of the marked object. */
export const planFinalDelete =
  (request: WriteRequest, uid: string): WritePlan =>
  (current, runner) =>
    FINAL_DELETE.run({ request, current, uid }, runner);

/** An edit by the server itself, without admission and the rules of the kind. */
export const planEdit =
  (request: WriteRequest, editStart: Omit<EditStart, 'current' | 'request'>): WritePlan =>
  (current, runner) =>
    EDIT.run({ request, current, ...editStart }, runner);
