/**
 * Messages between the server's thread and a worker thread about an offloaded write. The worker thread runs the step
 * list of the verb and calls the server's thread for steps that need the server's state. Types only.
 */
import type { StatusError } from '../../../../../shared/api/errors/status';
import type { KindRow } from '../../../../../shared/api/kinds';
import type { CustomVersion } from '../../../../../shared/api/structural/version';
import type { JsonObject } from '../../../../../shared/values/json';
import type { Entry, StoredType } from '../../../../cache/cache';
import type { DeleteOptions, PatchBody, PatchOptions, RawBody, Subresource, UserInfo, WriteOptions } from '../../../verbs';
import type { AllocationChange } from '../../allocation';
import type { RemovalOutcome } from '../../steps/attempt';
import type { ObjectParts } from './lazy-object';

/** Limits up to which a write stays on the server's thread (should-offload.ts). */
export interface OffloadLimits {
  /** Size of a protobuf body. JSON up to this size is too short to have many values, so its values are not counted. */
  readonly bytes: number;
  /** Size of a YAML body. */
  readonly yamlBytes: number;
  /** Number of values in JSON. */
  readonly values: number;
}

/** A version of a custom kind, with its schema as JSON. */
type TransferredVersion = Pick<CustomVersion, 'columns' | 'displayId' | 'scale' | 'schemaId'> & {
  readonly name: string;
  readonly schema: Uint8Array;
};

/** A resource from which the worker thread finds or rebuilds the kind. */
export type TransferredResource =
  | { readonly type: 'builtIn'; readonly group: string; readonly version: string; readonly resource: string }
  | {
      readonly type: 'custom';
      readonly row: Omit<KindRow, 'custom'>;
      readonly stored: StoredType;
      readonly definition: string;
      readonly storageVersion: string;
      readonly versions: readonly TransferredVersion[];
    };

/** A message to another thread is a structured clone, in which a Buffer becomes a plain Uint8Array. */
type Transferred<T extends { readonly bytes: Buffer }> = Omit<T, 'bytes'> & { readonly bytes: Uint8Array };

/** An entry without labels, which no step reads. */
export type TransferredEntry = Transferred<Omit<Entry, 'labels'>>;

/** Selects the step list; contains the body, patch or options of the request. `bytes`: of the body or patch. */
export type OffloadedPayload =
  | (Transferred<RawBody> & { readonly verb: 'create' | 'update'; readonly options: WriteOptions })
  | (Transferred<PatchBody> & { readonly verb: 'patch'; readonly options: PatchOptions })
  | { readonly verb: 'delete'; readonly options: DeleteOptions }
  /** `uid`: of the object that the DELETE has marked. */
  | { readonly verb: 'finalDelete'; readonly uid: string };

/** The message that starts a write. */
export interface OffloadedWrite {
  readonly type: 'write';
  readonly payload: OffloadedPayload;
  readonly resource: TransferredResource;
  readonly namespace: string;
  /** The name in the path; empty for a create, which uses the name in the body or a generated one. */
  readonly name: string;
  readonly subresource: Subresource;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  /** The stored object; `undefined` when it does not exist. */
  readonly entry: TransferredEntry | undefined;
  /** Whether the audit log records the whole request object. */
  readonly auditsRequestObject: boolean;
  /** Whether plug-ins on the server's thread read more of the object than its name, so that step calls contain it. */
  readonly sendsObject: boolean;
}

/** What the audit log records of the request. */
export type OffloadedAuditedRequest =
  /** Namespace, name, uid and resourceVersion, and the whole object if the audit log records it. */
  | { readonly type: 'object'; readonly metadata: JsonObject; readonly entry: TransferredEntry | undefined }
  /** As JSON; `undefined` when it is too long for the audit log. */
  | { readonly type: 'patch'; readonly text: string | undefined };

/** Warnings and audit records since the last message, in the order of the steps. Sent with the next message. */
export interface SideEffects {
  readonly warnings: readonly string[];
  readonly auditedRequest: OffloadedAuditedRequest | undefined;
}

/** A step that the worker thread calls on the server's thread. */
export type RemoteStep =
  /** The body of a create has been decoded. The server's thread then determines the state of its name. */
  | { readonly step: 'decode'; readonly name: string; readonly generateName: string; readonly isGenerated: boolean }
  | { readonly step: 'authorizeCreate' }
  | {
      readonly step: 'allocate' | 'mutatingAdmission' | 'reserveQuota' | 'validatingAdmission';
      readonly operation: 'CREATE' | 'DELETE' | 'UPDATE';
      /** `undefined` when plug-ins read the name only. */
      readonly object: ObjectParts | undefined;
      readonly oldObject: ObjectParts | undefined;
      /** Replaces the object when it is not sent. */
      readonly nameOnly: JsonObject;
    };

/** The message that calls a step. */
export type StepCall = RemoteStep & { readonly sideEffects: SideEffects };

type Rejection =
  | { readonly type: 'refused'; readonly status: StatusError['status'] }
  /** The server's thread does not need the result any more. */
  | { readonly type: 'abandoned' };

/** `changes`: of the object, by the step. */
export type StepReply = Rejection | { readonly type: 'done'; readonly changes: ObjectParts | undefined };

/** A {@link WriteOutcome} as plain data. */
export type OffloadedOutcome =
  | Rejection
  | { readonly type: 'unchanged'; readonly code: 200 | 202 }
  | { readonly type: 'missing' }
  | {
      readonly type: 'store';
      readonly isNew: boolean;
      /** `undefined` when the object is deleted. */
      readonly value: Uint8Array | undefined;
      /** The object in the response, if it differs from the stored one. */
      readonly response: TransferredEntry | undefined;
      readonly allocation: AllocationChange | undefined;
      readonly removal: RemovalOutcome | undefined;
    };

/** The message that ends a write. */
export interface OffloadResult {
  readonly sideEffects: SideEffects;
  readonly outcome: OffloadedOutcome;
}

/** The server's thread, as the worker thread sees it. */
export interface ServerSteps {
  /** Runs a step on the server's thread. Resolves with its effect or rejection; never rejects with a StatusError. */
  callStep(call: StepCall): Promise<StepReply>;
}

/** The pool of worker threads. */
export interface OffloadThreads {
  readonly limits: OffloadLimits;
  /** Rejects with a StatusError when the queue is full or the write exceeds its limit of time or memory. */
  run(write: OffloadedWrite, remote: ServerSteps): Promise<OffloadResult>;
}
