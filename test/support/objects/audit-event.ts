/** Builds audit events and encodes them, for tests of audit backends. */
import type { AuditEvent } from '../../../apiserver/audit/event';
import { LineBuffer } from '../../../apiserver/audit/line-buffer';
import { writeEncoded, type AuditBackend, type EventEncoding } from '../../../apiserver/audit/audit-backend';
import { isBody, type Body, type Json } from '../../replay/json-response';

/** The event of a completed read; `changes` replace its members. */
export function auditEvent(auditId: string, changes: Partial<AuditEvent> = {}): AuditEvent {
  return {
    level: 'Metadata',
    stage: 'ResponseComplete',
    subject: {
      auditId,
      requestUri: '/api?a=<b>',
      verb: 'get',
      sourceIps: ['10.0.0.9'],
      userAgent: 'agent',
      receivedAt: 1_700_000_000_000.25,
      written: undefined,
    },
    user: { name: 'u', groups: ['g'] },
    impersonated: undefined,
    object: undefined,
    responseStatus: '{"metadata":{},"code":200}',
    code: 200,
    requestObject: undefined,
    responseObject: undefined,
    at: 1_700_000_000_001.5,
    annotations: undefined,
    ...changes,
  };
}

/** The encoded line of an event; `undefined` when it exceeds the size limit. */
export function eventText(event: AuditEvent, encoding: Partial<EventEncoding> = {}): string | undefined {
  const buffer = new LineBuffer();
  const isWritten = writeEncoded(buffer, { format: 'json', dialect: 'platform', maxEventBytes: undefined, ...encoding }, event);
  return isWritten ? buffer.written.toString() : undefined;
}

/** A backend that appends the events to `events`, encoded with the names of Kubernetes. */
export function collectAuditEvents(events: Body[]): AuditBackend {
  return {
    name: 'log',
    processEvent(event) {
      const parsed: Json = JSON.parse(eventText(event, { dialect: 'kubernetes' }) ?? '{}');
      if (isBody(parsed)) events.push(parsed);
      return true;
    },
    close: () => Promise.resolve(),
  };
}
