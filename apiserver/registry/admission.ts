/**
 * What the write path asks of admission; implemented by apiserver/admission. A plug-in refuses by throwing a StatusError. Most have nothing to
 * wait for, so a call returns nothing unless there is.
 */
import type { JsonObject } from '../../shared/values/json';
import type { KeyWrite } from '../allocation/claims';
import type { Entry } from '../cache/cache';
import type { KindRow } from '../../shared/api/kinds';
import type { Revision } from '../storage/store';
import type { OtherVersions } from './conversions';
import type { RequestContext, ServedResource, UserInfo } from './verbs';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** What a request says of how it wants to be done, in the words of its verb's options. */
export interface GivenOptions {
  readonly fieldManager?: string;
  readonly fieldValidation?: string;
  readonly gracePeriodSeconds?: number;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  readonly resource: ServedResource;
  readonly subresource: string | undefined;
  /** Of what is sent, where it is not an object of the resource. */
  readonly bodyRow?: KindRow | undefined;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  /** '' while a name has yet to be generated. */
  readonly name: string;
  /** The path names the object, which need not exist yet: an update or apply may create it. */
  readonly isAddressed: boolean;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly options: GivenOptions;
  /** Where warnings and annotations go, and who knows whose turn it is. */
  readonly context: Pick<RequestContext, 'annotate' | 'isTurnOver' | 'keepsSent' | 'requeue' | 'trace' | 'warn'>;
  /** Undefined for DELETE. Mutating plug-ins change it in place. */
  readonly object: JsonObject | undefined;
  /** Undefined for CREATE. */
  readonly oldObject: JsonObject | undefined;
  /** Clock.monotonic: until then it is worth waiting. */
  readonly deadline: number;
  /** The Namespace that the object lives in, as far as it is known; undefined when it does not exist. */
  readonly namespaceEntry: Entry | undefined;
  /** The object in other versions, where only a webhook knows them. */
  readonly versions?: OtherVersions | undefined;
}

/** Thrown by a plug-in that has changed what requests rest on: all begins again, on the state that is there now. */
export class StateChanged extends Error {
  override readonly name = 'StateChanged';
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
  /** Whether somebody outside may be asked: the state that he is shown has to be proven first, and nobody is asked twice without need. */
  asksOthers(question: Pick<AdmissionQuestion, 'resource' | 'subresource'>): boolean;
  /** Whether a refusal rests on other objects of the namespace. */
  counts(question: Omit<AdmissionQuestion, 'operation'>): boolean;
  mutate(request: AdmissionRequest): Promise<void> | undefined;
  validate(request: AdmissionRequest): Promise<void> | undefined;
  /** Asked last, of what is about to be stored. */
  reserve(request: AdmissionRequest): Promise<Reservation | undefined> | undefined;
}

/** Nobody is asked. */
export const ALL_ADMITTED: Admission = {
  looksInto: () => false,
  asksOthers: () => false,
  counts: () => false,
  mutate: () => undefined,
  validate: () => undefined,
  reserve: () => undefined,
};
