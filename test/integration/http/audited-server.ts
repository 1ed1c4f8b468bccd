/** The server of a fixture, with its audit log in memory, as a target of recorded requests. Does not start a server. */
import { Auditor } from '../../../apiserver/audit/auditor';
import { compilePolicy } from '../../../apiserver/audit/policy';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { isBody, type Body } from '../../replay/reference';
import type { AuditedTarget } from '../../replay/request-target';
import { sinkInto } from '../../support/audit-event';
import { call, warningsOf, type Fixture } from './fixture';

export interface AuditedServer {
  /** For the options of the fixture. */
  readonly auditor: Auditor;
  over(fixture: Fixture): AuditedTarget;
}

export function auditedServer(): AuditedServer {
  const events: Body[] = [];
  const auditor = new Auditor(systemClock, silentLogger);
  auditor.use(compilePolicy({ omitStages: ['RequestReceived'], rules: [{ level: 'Request' }] }, GENERATED_NAMES.kubernetes));
  auditor.writeTo(sinkInto(events));
  return { auditor, over: (fixture) => targetOver(fixture, events) };
}

function targetOver(fixture: Fixture, events: readonly Body[]): AuditedTarget {
  return {
    async send(method, path, headers, sent) {
      const answer = await call(fixture, path, { method, ...(sent === '' ? {} : { body: sent }), headers, local: true });
      return { code: answer.status, text: answer.text, warnings: warningsOf(answer) };
    },
    annotations(auditId) {
      const found = events.find((event) => event['auditID'] === auditId && event['stage'] === 'ResponseComplete');
      const annotations = found?.['annotations'] ?? {};
      const kept = isBody(annotations) ? Object.entries(annotations) : [];
      return Promise.resolve(
        Object.fromEntries(kept.filter(([name]) => !/^(?:authorization|apiserver|authentication|pod-security)\./.test(name))),
      );
    },
  };
}
