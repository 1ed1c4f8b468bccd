/** Servers of tests as targets of recorded requests, with their audit log in memory where that was recorded. */
import { Auditor } from '../../../apiserver/audit/auditor';
import { compilePolicy } from '../../../apiserver/audit/policy';
import { parseTokenFile } from '../../../apiserver/authentication/token-file';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { isBody, type Body } from '../../replay/reference';
import type { AuditedTarget, RequestTarget } from '../../replay/request-target';
import { sinkInto } from '../../support/audit-event';
import { ADMIN } from './call';
import type { Fixture } from './fixture';

/** The one user of recorded servers. */
export const RECORDED_USERS = [parseTokenFile('tokens.csv', `${ADMIN},admin,admin-uid,"system:masters"\n`, () => undefined)];

export const targetOver = (api: Fixture): RequestTarget => ({
  async send(method, path, headers, body, opened) {
    const answer = await api.call(path, { method, ...(body === '' ? {} : { body }), headers, local: true, opened });
    return { code: answer.status, text: answer.text, warnings: answer.warnings };
  },
});

export interface AuditedServer {
  /** For the options of the server. */
  readonly auditor: Auditor;
  over(api: Fixture): AuditedTarget;
}

/** Annotations of parts of the server that are not recorded. */
const OF_OTHERS = /^(?:authorization|apiserver|authentication|pod-security)\./;

/** `level`: with `Metadata`, all annotations are returned. */
export function auditedServer(level: 'Metadata' | 'Request' = 'Request'): AuditedServer {
  const events: Body[] = [];
  const auditor = new Auditor(systemClock, silentLogger);
  auditor.setPolicy(compilePolicy({ omitStages: ['RequestReceived'], rules: [{ level }] }, GENERATED_NAMES.kubernetes));
  auditor.setBackends(sinkInto(events));
  return {
    auditor,
    over: (api) => ({
      ...targetOver(api),
      async annotations(auditId) {
        const found = events.find((event) => event['auditID'] === auditId && event['stage'] === 'ResponseComplete');
        const annotations = found?.['annotations'] ?? {};
        const all = isBody(annotations) ? Object.entries(annotations) : [];
        return Object.fromEntries(all.filter(([name]) => level === 'Metadata' || !OF_OTHERS.test(name)));
      },
    }),
  };
}
