/** An audit event, as tests of its sinks want it. */
import { AuditSubject, type AuditEvent } from '../../apiserver/audit/event';

export function auditEvent(auditId: string, changes: Partial<AuditEvent> = {}): AuditEvent {
  return {
    level: 'Metadata',
    stage: 'ResponseComplete',
    subject: new AuditSubject(auditId, '/api?a=<b>', 'get', ['10.0.0.9'], 'agent', 1_700_000_000_000.25),
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
