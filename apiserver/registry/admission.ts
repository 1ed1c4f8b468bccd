/**
 * What the write path asks of admission; implemented by apiserver/admission. A plug-in refuses by throwing a StatusError. Most have nothing to
 * wait for, so a call returns nothing unless there is.
 */
import type { JsonObject } from '../../shared/values/json';
import type { KeyWrite } from '../allocation/claims';
import type { Entry } from '../cache/cache';
import type { Revision } from '../storage/store';
import type { ServedResource, UserInfo } from './verbs';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE';

export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  readonly resource: ServedResource;
  readonly subresource: string | undefined;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  /** '' while a name has yet to be generated. */
  readonly name: string;
  /** The path names the object, which need not exist yet: an update or apply may create it. */
  readonly isAddressed: boolean;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Undefined for DELETE. Mutating plug-ins change it in place. */
  readonly object: JsonObject | undefined;
  /** Undefined for CREATE. */
  readonly oldObject: JsonObject | undefined;
  /** Clock.monotonic: until then it is worth waiting. */
  readonly deadline: number;
  /** The Namespace that the object lives in, as far as it is known; undefined when it does not exist. */
  readonly namespaceEntry: Entry | undefined;
}

/** What is known of a request before its object is. */
export type AdmissionQuestion = Pick<AdmissionRequest, 'operation' | 'resource' | 'subresource' | 'user' | 'namespace'>;

/** Keys that change with the object, and have not changed until then. */
export interface Reservation {
  readonly writes: readonly KeyWrite[];
  /** To be called once, whatever comes of it; `revision` = that of the transaction, where there was one. */
  readonly over: (revision?: Revision) => void;
}

/** A plug-in that is asked when nobody has anything against it: what it returns is stored with the object. */
export interface ReservingPlugin {
  readonly name: string;
  handles(operation: AdmissionOperation): boolean;
  /** Whether it looks at more of an object than its name. */
  looksInto(question: AdmissionQuestion): boolean;
  reserve(request: AdmissionRequest): Promise<Reservation | undefined> | undefined;
}

export interface Admission {
  /** Whether anyone looks at more of an object than its name. Where nobody does, it may be worked out elsewhere, and is shown by its name only. */
  looksInto(question: AdmissionQuestion): boolean;
  /** Whether a refusal rests on other objects of the namespace. */
  counts(question: Omit<AdmissionQuestion, 'operation'>): boolean;
  mutate(request: AdmissionRequest): Promise<void> | undefined;
  validate(request: AdmissionRequest): Promise<void> | undefined;
  /** Asked last, of what is about to be stored. */
  reserve(request: AdmissionRequest): Promise<Reservation | undefined> | undefined;
}
