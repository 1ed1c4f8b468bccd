/**
 * The contract between the write path and admission, which apiserver/admission implements. A plug-in rejects a
 * request by throwing a StatusError. Methods return `undefined` instead of a promise when there is nothing to await,
 * because most plug-ins do not wait.
 */
import type { JsonObject } from '../../shared/values/json';
import type { KeyWrite } from '../allocation/claims';
import type { Entry } from '../cache/cache';
import type { KindRow } from '../../shared/api/kinds';
import type { Revision } from '../storage/store';
import type { VersionConverter } from './conversions';
import type { DeleteOptions, RequestContext, ServedResource, UserInfo } from './verbs';

/** The operations of upstream's admission. CONNECT is a request that stores nothing (exec, proxy). */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The options that the request itself states, with the names of CreateOptions, UpdateOptions and DeleteOptions. */
export interface OperationOptions extends Omit<DeleteOptions, 'dryRun' | 'isAdmitted'> {
  readonly fieldManager?: string;
  readonly fieldValidation?: string;
}

/**
 * What plug-ins see of a request. Objects are decoded. They are in the storage version; those of a kind with a conversion
 * webhook are in the version of the request. Their type `O` therefore follows from `bodyRow`, if it is set, and otherwise
 * from `resource`: a plug-in that has checked the resource names the type of its objects.
 */
export interface AdmissionRequest<O extends JsonObject = JsonObject> {
  readonly operation: AdmissionOperation;
  readonly resource: ServedResource;
  readonly subresource: string | undefined;
  /** The kind of the body, when it is not the kind of the resource (operations, scale). */
  readonly bodyRow?: KindRow | undefined;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  /**
   * Empty for an operation of a virtual kind, and for a create that generates the name. `object` has the generated name when
   * validating plug-ins see it, but not yet when mutating plug-ins do.
   */
  readonly name: string;
  /** The path names the object. The object need not exist: an update or apply may create it. */
  readonly hasNameInPath: boolean;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly options: OperationOptions;
  /** Receives warnings and audit annotations, and gives access to the event loop scheduler. */
  readonly context: Pick<
    RequestContext,
    'addAuditAnnotation' | 'excludeFromSli' | 'isTurnOver' | 'auditsRequestObject' | 'requeue' | 'trace' | 'warn'
  >;
  /** `undefined` for DELETE. Mutating plug-ins change it in place. */
  readonly object: O | undefined;
  /** `undefined` for CREATE and CONNECT. */
  readonly oldObject: O | undefined;
  /** Latest time to wait for, in ms of Clock.monotonic. */
  readonly deadline: number;
  /** The Namespace of the object as the attempt sees it; `undefined` when it does not exist. */
  readonly namespaceEntry: Entry | undefined;
  /** Converts the object to other versions of its kind; set only when that needs a webhook. */
  readonly versionConverter?: VersionConverter | undefined;
}

/** Thrown by a plug-in that has changed state on which requests depend. The attempt restarts on the current state. */
export class StateChanged extends Error {
  override readonly name = 'StateChanged';
}

/** The attributes of a request that are known before its object is decoded. */
export type AdmissionTarget = Pick<AdmissionRequest, 'operation' | 'resource' | 'subresource' | 'user' | 'namespace'>;

/**
 * Keys that are written in the transaction of the object, such as the usage of a quota. The transaction compares their
 * revisions, so it fails if another replica has written one of them.
 */
export interface Reservation {
  readonly writes: readonly KeyWrite[];
  /**
   * Must be called exactly once, whether the write succeeds or fails. `revision`: of the transaction; absent when
   * nothing was stored, and when that is unknown.
   */
  readonly complete: (revision?: Revision) => void;
}

/** A plug-in that runs after all validating plug-ins and reserves keys, which are committed together with the object. */
export interface ReservingPlugin {
  readonly name: string;
  /** Whether `reserve` is to be called for the operation. */
  handles(operation: AdmissionOperation): boolean;
  /** Whether the plug-in reads more of an object than its name. */
  inspectsObject(target: AdmissionTarget): boolean;
  /** Reserves the keys that the request needs; `undefined` when it needs none. Rejects with 403 above a limit. */
  reserve(request: AdmissionRequest): Promise<Reservation | undefined> | undefined;
}

/** The admission chain. `mutate`, `validate` and `reserve` are called in this order, each at most once per attempt. */
export interface Admission {
  /**
   * Whether any plug-in reads more of an object than its name. If none does, a worker thread that processes the object
   * passes only the name to the plug-ins, which run on the server's thread.
   */
  inspectsObject(target: AdmissionTarget): boolean;
  /**
   * Whether a webhook may be called. The write path then starts on state that is read from the store, because a webhook
   * must neither receive outdated state nor be called a second time when the first attempt ran on such state.
   */
  callsWebhooks(target: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean;
  /**
   * Whether a rejection depends on other objects of the namespace, as that of a quota does. Such a rejection is confirmed
   * only by a cache that has caught up with the store, not by the state of the written object alone.
   */
  dependsOnOtherObjects(target: Omit<AdmissionTarget, 'operation'>): boolean;
  /** Runs the mutating plug-ins, which may change `request.object` in place. */
  mutate(request: AdmissionRequest): Promise<void> | undefined;
  /** Runs the validating plug-ins, which change nothing. */
  validate(request: AdmissionRequest): Promise<void> | undefined;
  /** Runs last, on the validated object. Not called for DELETE and operations, which use no quota. */
  reserve(request: AdmissionRequest): Promise<Reservation | undefined> | undefined;
}

/** Admits every request. */
export const ADMIT_ALL: Admission = {
  inspectsObject: () => false,
  callsWebhooks: () => false,
  dependsOnOtherObjects: () => false,
  mutate: () => undefined,
  validate: () => undefined,
  reserve: () => undefined,
};
