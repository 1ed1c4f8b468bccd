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
 * Where a buffer holds an encoded line, as byte offsets, and the context that its members contain. The line of the next
 * stage differs in the stage and in what follows the object reference, so it can copy two parts of this one:
 *
 *     {"kind":"Event",…,"auditID":"x","stage":"RequestReceived","requestURI":"/api",…,"objectRef":{…},…}
 *     ^ start                        ^ auditIdEnd              ^ requestUriStart                      ^ objectEnd
 *
 * The offsets are valid while the buffer has the same generation.
 */
export interface WrittenLine extends AuditContext {
  readonly buffer: LineBuffer;
  readonly generation: number;
  readonly start: number;
  readonly auditIdEnd: number;
  readonly requestUriStart: number;
  readonly objectEnd: number;
}

/** The members that may change between the stages of a request. */
export interface AuditContext {
  /** `undefined` when the request was not authenticated. */
  readonly user: UserInfo | undefined;
  /** The user that the request impersonates; `undefined` when it impersonates none. */
  readonly impersonated: UserInfo | undefined;
  /** `undefined` for a request that is not for a resource. */
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
  /** JSON, like `responseObject`; `undefined` when the level of the request excludes the object, or there is none. */
  readonly requestObject: string | undefined;
  readonly responseObject: string | undefined;
  /** Time of the stage, in milliseconds since 1970. */
  readonly at: number;
  /** By name, in canonical form; `undefined` when there are none. */
  readonly annotations: ReadonlyMap<string, string> | undefined;
}

/** The most frequent response status. */
export const SUCCESS_STATUS_JSON = '{"metadata":{},"code":200}';

/** The annotation of truncated events, in canonical form. */
export const TRUNCATED_ANNOTATION = AUDIT_NAMES.platform.truncated;
