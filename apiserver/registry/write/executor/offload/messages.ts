/**
 * What the server's thread and a worker thread tell each other of an offloaded write. The worker runs the list of the verb; steps that need this process are
 * questions to it. Holds no code.
 */
import type { StatusError } from '../../../../../shared/api/errors/status';
import type { KindRow } from '../../../../../shared/api/kinds';
import type { PrinterColumn, ScalePaths } from '../../../../../shared/api/structural/version';
import type { JsonObject } from '../../../../../shared/values/json';
import type { Entry, StoredType } from '../../../../cache/cache';
import type { DeleteOptions, PatchBody, SentBody, Subresource, UserInfo, WriteOptions } from '../../../verbs';
import type { AllocationChange } from '../../allocation';
import type { Removal } from '../../steps/attempt';
import type { ShownParts } from './lazy-object';

/** What stays on the server's thread. */
export interface OffloadLimits {
  /** Of JSON and protobuf: what is not longer has not many values. */
  readonly bytes: number;
  readonly yamlBytes: number;
  /** Of JSON. */
  readonly values: number;
}

/** A version of a custom kind without what only the server's thread can have of it. */
export interface SentVersion {
  readonly name: string;
  /** JSON. */
  readonly schema: Uint8Array;
  readonly schemaId: string;
  readonly displayId: string;
  readonly columns: readonly PrinterColumn[];
  readonly scale: ScalePaths | undefined;
}

export type SentResource =
  | { readonly type: 'builtIn'; readonly group: string; readonly version: string; readonly resource: string }
  | {
      readonly type: 'custom';
      readonly row: Omit<KindRow, 'custom'>;
      readonly stored: StoredType;
      readonly definition: string;
      readonly storageVersion: string;
      readonly versions: readonly SentVersion[];
    };

/** An entry without its labels, which no step of a write reads. */
export type SentEntry = Pick<Entry, 'isDialectSensitive' | 'fields' | 'key' | 'revision'> & { readonly bytes: Uint8Array };

type ObjectOptions = WriteOptions & { readonly force?: boolean };

/** Which list of steps is to run, with what the request has sent. */
export type OffloadedVerb =
  | {
      readonly verb: 'create' | 'update';
      readonly body: { readonly bytes: Uint8Array; readonly format: SentBody['format'] };
      readonly options: ObjectOptions;
    }
  | { readonly verb: 'patch'; readonly patch: Omit<PatchBody, 'bytes'> & { readonly bytes: Uint8Array }; readonly options: ObjectOptions }
  | { readonly verb: 'delete'; readonly options: DeleteOptions }
  /** `uid`: of the object that the deletion has marked. */
  | { readonly verb: 'finalDelete'; readonly uid: string };

export interface OffloadedWrite {
  readonly type: 'write';
  readonly what: OffloadedVerb;
  readonly resource: SentResource;
  readonly namespace: string;
  /** Of a creation: '' = what the body says, or what is generated from it. */
  readonly name: string;
  readonly subresource: Subresource;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  /** The object as it is stored; undefined when it is not. */
  readonly entry: SentEntry | undefined;
  /** Whether all of the body is to be recorded. */
  readonly keepsSent: boolean;
  /** Whether plug-ins of the server's thread look at more of the object than its name: then the questions show it. */
  readonly showsObject: boolean;
}

export type SentObject =
  /** What the object says of its own place, and where that is asked for, all of it. */
  | { readonly type: 'object'; readonly metadata: JsonObject; readonly entry: SentEntry | undefined }
  /** As JSON; undefined: too long to be recorded. */
  | { readonly type: 'patch'; readonly text: string | undefined };

/** What the client and the audit log are to be told, in the order of the steps. It goes with the next message. */
export interface Notes {
  readonly warnings: readonly string[];
  readonly sent: SentObject | undefined;
}

/** A step that runs on the server's thread. The worker waits for the answer. */
export type RemoteStep =
  /** The body of a creation has been decoded: the state of the name that it asks for has to be known. */
  | { readonly step: 'decode'; readonly name: string; readonly generateName: string; readonly isGenerated: boolean }
  | { readonly step: 'authorizeCreate' }
  | {
      readonly step: 'allocate' | 'mutatingAdmission' | 'reserveQuota' | 'validatingAdmission';
      readonly operation: 'CREATE' | 'DELETE' | 'UPDATE';
      /** Undefined where nobody looks at more than the name. */
      readonly object: ShownParts | undefined;
      readonly old: ShownParts | undefined;
      /** In place of the object. */
      readonly head: JsonObject;
    };

export type StepQuestion = RemoteStep & { readonly notes: Notes };

export type Answer =
  /** What the step has changed of the object. */
  | { readonly type: 'done'; readonly changes: ShownParts | undefined }
  | { readonly type: 'refused'; readonly status: StatusError['status'] }
  /** The server's thread does not need the result any more. */
  | { readonly type: 'abandoned' };

/** What the list comes to in the worker: the data of an `Outcome`. */
export type OffloadedOutcome =
  | { readonly type: 'refused'; readonly status: StatusError['status'] }
  | { readonly type: 'abandoned' }
  | { readonly type: 'unchanged'; readonly code: 200 | 202 }
  | { readonly type: 'gone' }
  | {
      readonly type: 'store';
      readonly isNew: boolean;
      /** Undefined: the object is deleted. */
      readonly value: Uint8Array | undefined;
      /** The object in the response, where it is not the one that is stored. */
      readonly shown: SentEntry | undefined;
      readonly allocation: AllocationChange | undefined;
      readonly removal: Removal | undefined;
    };

export interface OffloadResult {
  readonly notes: Notes;
  readonly outcome: OffloadedOutcome;
}

/** The server's thread, as a worker sees it. */
export interface RemoteSteps {
  ask(question: StepQuestion): Promise<Answer>;
}

/** The worker threads. */
export interface OffloadThreads {
  readonly limits: OffloadLimits;
  /** Rejects with a StatusError when there is no room, or when the write takes too much time or memory. */
  run(write: OffloadedWrite, remote: RemoteSteps): Promise<OffloadResult>;
}
