/**
 * Test servers as targets of recorded requests, with an in-memory audit log for recordings that include annotations.
 */
import { Auditor } from '../../../apiserver/audit/auditor';
import { compilePolicy } from '../../../apiserver/audit/policy';
import { parseTokenFile } from '../../../apiserver/authentication/token-file';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { isBody, type Body } from '../../replay/json-response';
import type { AuditedTarget, RequestTarget } from '../../replay/requests/request-target';
import { collectAuditEvents } from '../../support/objects/audit-event';
import { ADMIN } from './api-call';
import type { Fixture } from './fixture';

/** The administrator of the recorded servers, which had no other user. */
export const RECORDED_USERS = [parseTokenFile('tokens.csv', `${ADMIN},admin,admin-uid,"system:masters"\n`, () => undefined)];

export const targetOver = (api: Fixture): RequestTarget => ({
  async send(method, path, headers, body, onResponse) {
    const response = await api.call(path, { method, ...(body === '' ? {} : { body }), headers, local: true, onResponse });
    return { code: response.status, text: response.text, warnings: response.warnings };
  },
});

export interface AuditedServer {
  /** Value of the server option `audit`. */
  readonly auditor: Auditor;
  targetFor(api: Fixture): AuditedTarget;
}

/** Annotations that are not recorded. */
const UNRECORDED_ANNOTATIONS = /^(?:authorization|apiserver|authentication|pod-security)\./;

/** `level`: with `Metadata`, all annotations are returned. */
export function auditedServer(level: 'Metadata' | 'Request' = 'Request'): AuditedServer {
  const events: Body[] = [];
  const auditor = new Auditor(systemClock, silentLogger);
  auditor.setPolicy(compilePolicy({ omitStages: ['RequestReceived'], rules: [{ level }] }, GENERATED_NAMES.kubernetes));
  auditor.setBackends(collectAuditEvents(events));
  return {
    auditor,
    targetFor: (api) => ({
      ...targetOver(api),
      async annotations(auditId) {
        const event = events.find((candidate) => candidate['auditID'] === auditId && candidate['stage'] === 'ResponseComplete');
        const annotations = event?.['annotations'] ?? {};
        const entries = isBody(annotations) ? Object.entries(annotations) : [];
        return Object.fromEntries(entries.filter(([name]) => level === 'Metadata' || !UNRECORDED_ANNOTATIONS.test(name)));
      },
    }),
  };
}
