/** What is told of one stage of a request. */
import { AUDIT_NAMES } from '../../shared/names/dialect';
import type { UserInfo } from '../../shared/api/identity/user';
import type { LineBuffer } from './line-buffer';
import type { AuditLevel, AuditStage } from './policy-format';

/** What does not change between the stages of a request. */
export interface AuditSubject {
  readonly auditId: string;
  readonly requestUri: string;
  readonly verb: string;
  /** The first is the nearest to the client. */
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Where it stands already, for whoever writes it next. */
  written: WrittenLine | undefined;
}

/** Where in a buffer its id ends and all else of it begins and ends, with what was known by then. */
export interface WrittenLine extends AuditContext {
  readonly buffer: LineBuffer;
  readonly losses: number;
  readonly start: number;
  readonly idEnd: number;
  readonly restStart: number;
  readonly restEnd: number;
}

/** What the stages of a request may still differ in: who asks, and for what. */
export interface AuditContext {
  /** Undefined = nobody was let in. */
  readonly user: UserInfo | undefined;
  readonly impersonated: UserInfo | undefined;
  readonly object: AuditObject | undefined;
}

export interface AuditObject {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** As the log spells it. */
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
  readonly subresource: string;
}

export interface AuditEvent extends AuditContext {
  readonly level: AuditLevel;
  readonly stage: AuditStage;
  readonly subject: AuditSubject;
  /** JSON. */
  readonly responseStatus: string | undefined;
  /** The HTTP status; undefined = there is no answer yet. */
  readonly code: number | undefined;
  readonly requestObject: string | undefined;
  readonly responseObject: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly annotations: ReadonlyMap<string, string> | undefined;
}

/** By far the most frequent status of an answer. */
export const SUCCESS = '{"metadata":{},"code":200}';

/** What is said of a request where something is left out; in canonical spelling. */
export const TRUNCATED = AUDIT_NAMES.platform.truncated;
