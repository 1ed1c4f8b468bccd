/**
 * The types of an attempt at a write after each step, and of its outcome. The steps of a create are decode, default,
 * convertToStorage, updateManagedFields, mutatingAdmission, stampMetadata, allocate, prepare, validate, canonicalize,
 * validatingAdmission, convertToStorage by webhook, reserveQuota, encode and commit; the other verbs have parts of them,
 * and an update or apply that creates has authorizeCreate besides (`verbs/lists.ts`).
 */
import type { StatusError } from '../../../../shared/api/errors/status';
import type { MaybePromise } from '../../../../shared/runtime/maybe-promise';
import type { JsonObject } from '../../../../shared/values/json';
import type { Entry } from '../../../cache/cache';
import type { Revision } from '../../../storage/store';
import type { AdmissionRequest, Reservation } from '../../admission';
import type { EncodedObject } from '../../object/stored-object';
import type { StrategyContext } from '../../strategy';
import type { WriteOptions } from '../../verbs';
import type { AllocationChange } from '../allocation';
import type { CurrentState } from '../current-state';
import type { WriteRequest } from '../request';
import type { StepExecution } from './step';

/** Produces the object of a write from a body, a patch or an applied configuration. */
export interface ObjectSource {
  readonly verb: 'create' | 'update' | 'patch' | 'apply';
  /**
   * Returns a new decoded object of the served version on every call. The object of an apply has its managedFields
   * already. `old`: the stored object.
   */
  makeObject(old: JsonObject | undefined, execution: StepExecution): MaybePromise<JsonObject>;
  /** Adds information of the source to a rejection of the last returned object. */
  readonly explain?: (refusal: StatusError) => StatusError;
}

/** What every attempt begins with: the request, and the state that the attempt runs on. */
export interface AttemptStart {
  readonly request: WriteRequest;
  readonly current: CurrentState;
}

/** The beginning of an attempt with an object from the request. */
export interface ObjectStart extends AttemptStart {
  /** Empty if the request names no object; the validation of the kind then reports it. */
  readonly name: string;
  readonly source: ObjectSource;
  readonly options: WriteOptions;
}

/** The object of the request: in the served version after `decode`, in the storage version after `convertToStorage`. */
export interface DecodedAttempt extends ObjectStart {
  readonly object: JsonObject;
  /** `undefined` on create. */
  readonly old: JsonObject | undefined;
}

/** The stored object, after `decode` of a change or DELETE. */
export interface StoredObject {
  readonly entry: Entry;
  /** The text of `entry`. */
  readonly text: string;
  readonly old: JsonObject;
}

/** After `decode` of a change. */
export type DecodedChange = DecodedAttempt & StoredObject;

/** After `mutatingAdmission`. */
export interface AdmittedAttempt {
  readonly admission: AdmissionRequest;
}

/** After `stampMetadata` on create. */
export interface StampedAttempt {
  /** The resourceVersion of the request object, which a dry run returns. */
  readonly requestVersion: number | undefined;
}

/** After `prepare`. */
export interface PreparedAttempt {
  readonly strategyContext: StrategyContext;
}

/** After `canonicalize`. */
export interface CanonicalAttempt {
  readonly isDialectSensitive: boolean;
  /** The object in the storage version; for kinds with a conversion webhook only after their second `convertToStorage`. */
  readonly stored: JsonObject;
}

/** After `reserveQuota`. The reservation is completed by the executor. */
export interface ReservedAttempt {
  readonly reservation: Reservation | undefined;
}

/** After `encode`. */
export interface EncodedAttempt {
  readonly encoded: EncodedObject;
}

/** The outcome of a DELETE. */
export interface RemovalOutcome {
  readonly uid: string;
  /** HTTP status code of the response. */
  readonly code: 200 | 202;
  /** The object has been marked and must be removed in the next transaction. */
  readonly isRemovalDue: boolean;
}

/** The outcome of the steps. Plain data as far as possible, because it may come from a worker thread. */
export type WriteOutcome =
  /** The stored object stays as it is. */
  | { readonly type: 'unchanged'; readonly code: 200 | 202; readonly reservation?: Reservation | undefined }
  /** The object does not exist any more. */
  | { readonly type: 'missing' }
  | {
      readonly type: 'store';
      readonly isNew: boolean;
      /** `undefined` to delete the object. */
      readonly value: Buffer | undefined;
      /** The object in the response. `revision`: the write's own; undefined when it was a dry run. */
      readonly responseEntry: (revision: Revision | undefined) => Entry;
      readonly allocation?: AllocationChange | undefined;
      readonly reservation?: Reservation | undefined;
      readonly removal?: RemovalOutcome | undefined;
    };
