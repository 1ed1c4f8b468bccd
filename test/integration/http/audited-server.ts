/** A server of a test with its audit log in memory, asked as recorders ask the reference. Starts none. */
import { Auditor } from '../../../apiserver/audit/auditor';
import { compilePolicy } from '../../../apiserver/audit/policy';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { isBody, type Body } from '../../replay/reference';
import type { Asked } from '../../replay/webhooks/run';
import { sinkInto } from '../../support/audit-event';
import { call, warningsOf, type Fixture } from './fixture';

export interface AuditedServer {
  /** To be given to the server. */
  readonly auditor: Auditor;
  /** The server that has it. */
  over(fixture: Fixture): Asked;
}

export function auditedServer(): AuditedServer {
  const events: Body[] = [];
  const auditor = new Auditor(systemClock, silentLogger);
  auditor.use(compilePolicy({ omitStages: ['RequestReceived'], rules: [{ level: 'Request' }] }, GENERATED_NAMES.kubernetes));
  auditor.writeTo(sinkInto(events));
  return { auditor, over: (fixture) => askedOver(fixture, events) };
}

function askedOver(fixture: Fixture, events: readonly Body[]): Asked {
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
