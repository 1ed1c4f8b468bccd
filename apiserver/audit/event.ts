/**
 * The data of an audit event: one stage of one request. The stages of a request share their subject, and with it the
 * line that was encoded last.
 */
import { AUDIT_NAMES } from '../../shared/names/audit';
import type { UserInfo } from '../../shared/api/identity/user';
import type { LineBuffer } from './line-buffer';
import type { AuditLevel, AuditStage } from './policy-format';

/** The members that are the same in all stages of a request. */
export interface AuditSubject {
  readonly auditId: string;
  readonly requestUri: string;
  readonly verb: string;
  /** The first address is the nearest to the client. */
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** The last encoded line of this request, for reuse by the next stage. */
  written: WrittenLine | undefined;
}

/**
 * Where a buffer holds an encoded line, and the context that its members contain. The next stage can copy the line up to
 * the end of the audit ID (`start` to `idEnd`) and the members after the stage (`restStart` to `restEnd`), while the
 * buffer has the same generation.
 */
export interface WrittenLine extends AuditContext {
  readonly buffer: LineBuffer;
  readonly generation: number;
  readonly start: number;
  readonly idEnd: number;
  readonly restStart: number;
  readonly restEnd: number;
}

/** The members that may change between the stages of a request. */
export interface AuditContext {
  /** `undefined` when the request was not authenticated. */
  readonly user: UserInfo | undefined;
  readonly impersonated: UserInfo | undefined;
  readonly object: AuditObject | undefined;
}

/** The object of a request, as far as its path and body name it; absent parts are ''. */
export interface AuditObject {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** In the dialect of the log. */
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
  readonly subresource: string;
}

/** One event of a request at one stage. Created per stage and encoded at once; backends do not keep it. */
export interface AuditEvent extends AuditContext {
  readonly level: AuditLevel;
  readonly stage: AuditStage;
  readonly subject: AuditSubject;
  /** JSON; `undefined` before the response. */
  readonly responseStatus: string | undefined;
  /** The HTTP status; `undefined` before the response. */
  readonly code: number | undefined;
  /** JSON; `undefined` when the level of the request excludes the object, or there is none. */
  readonly requestObject: string | undefined;
  readonly responseObject: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly annotations: ReadonlyMap<string, string> | undefined;
}

/** The most frequent response status. */
export const SUCCESS_STATUS_JSON = '{"metadata":{},"code":200}';

/** The annotation of truncated events, in canonical form. */
export const TRUNCATED_ANNOTATION = AUDIT_NAMES.platform.truncated;
