/** What is known of one attempt at a write, stage by stage, and what an attempt comes to. Holds no step. */
import type { StatusError } from '../../../../shared/api/errors/status';
import type { MaybePromise } from '../../../../shared/runtime/maybe-promise';
import type { JsonObject } from '../../../../shared/values/json';
import type { Entry } from '../../../cache/cache';
import type { Revision } from '../../../storage/store';
import type { AdmissionRequest, Reservation } from '../../admission';
import type { Encoded } from '../../object/stored-object';
import type { StrategyContext } from '../../strategy';
import type { WriteOptions } from '../../verbs';
import type { AllocationChange } from '../allocation';
import type { Current } from '../guaranteed-update';
import type { WriteRequest } from '../request';
import type { StepExecution } from './step';

/** Where the object of a write comes from: a body, a patch, an applied configuration. */
export interface ObjectSource {
  readonly verb: 'create' | 'update' | 'patch' | 'apply';
  /** A decoded object of the served version, new on every call; of an apply, with its managedFields. `old`: the stored object, if there is one. */
  object(old: JsonObject | undefined, execution: StepExecution): MaybePromise<JsonObject>;
  /** Adds the cause to a refusal of the last returned object, where the source knows it. */
  readonly explain?: (refusal: StatusError) => StatusError;
}

/** Before the first step. */
export interface AttemptStart {
  readonly request: WriteRequest;
  readonly current: Current;
}

export interface ObjectStart extends AttemptStart {
  /** The object's; '' where the kind's own rules have to refuse it. */
  readonly name: string;
  readonly source: ObjectSource;
  readonly options: WriteOptions;
}

/** The object as the endpoint receives it: of the served version after `decode`, of the stored one from `convertToStorage` on. */
export interface DecodedAttempt extends ObjectStart {
  readonly object: JsonObject;
  /** Undefined when the object is new. */
  readonly old: JsonObject | undefined;
}

export interface StoredObject {
  readonly entry: Entry;
  /** The entry's. */
  readonly text: string;
  readonly old: JsonObject;
}

export type DecodedChange = DecodedAttempt & StoredObject;

export interface AdmittedAttempt {
  readonly admission: AdmissionRequest;
}

/** After `stampMetadata` of a new object. */
export interface Stamped {
  /** The resourceVersion that the object was sent with: a dry run shows it again. */
  readonly sentVersion: number | undefined;
}

/** After `prepare`. */
export interface Prepared {
  readonly strategyContext: StrategyContext;
}

/** After `canonicalize`. */
export interface Canonical {
  readonly isDialectSensitive: boolean;
  /** The object in the version that is stored. */
  readonly stored: JsonObject;
}

export interface Reserved {
  readonly reservation: Reservation | undefined;
}

export interface Encodable {
  readonly encoded: Encoded;
}

/** What a DELETE comes to. */
export interface Removal {
  readonly uid: string;
  /** Of the response. */
  readonly code: 200 | 202;
  /** The object is marked, and is to be deleted in the next transaction. */
  readonly isDue: boolean;
}

/** What the steps come to: all that the executor needs to commit it, as data, because it may come from a worker thread. */
export type WriteOutcome =
  /** The stored object stays as it is. */
  | { readonly type: 'unchanged'; readonly code: 200 | 202; readonly reservation?: Reservation | undefined }
  /** The object does not exist any more. */
  | { readonly type: 'gone' }
  | {
      readonly type: 'store';
      readonly isNew: boolean;
      /** Undefined: the object is deleted. */
      readonly value: Buffer | undefined;
      /** The object in the response. `revision`: the write's own; undefined when it was a dry run. */
      readonly shown: (revision: Revision | undefined) => Entry;
      readonly allocation?: AllocationChange | undefined;
      readonly reservation?: Reservation | undefined;
      readonly removal?: Removal;
    };
