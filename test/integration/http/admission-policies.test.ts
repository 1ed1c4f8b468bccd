/** Replays requests under admission policies that were recorded from release 1.31.1 (admission/policies). */
import { Auditor } from '../../../apiserver/audit/auditor';
import { compilePolicy } from '../../../apiserver/audit/policy';
import { parseTokenFile } from '../../../apiserver/authentication/token-file';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { isPolicyCase, preparePolicyCases, runPolicyCase } from '../../replay/admission-policies';
import { recordingOf } from '../../replay/recording';
import { isBody, type Body } from '../../replay/reference';
import type { AuditedTarget } from '../../replay/request-target';
import { body } from '../../replay/shape';
import { sinkInto } from '../../support/audit-event';
import { ADMIN, call, startFixture, warningsOf, type Fixture } from './fixture';

const { cases } = recordingOf('admission/policies', body, isPolicyCase);
const USERS = `${ADMIN},admin,admin-uid,"system:masters"\n`;

let fixture: Fixture;
const events: Body[] = [];

const server: AuditedTarget = {
  async send(method, path, headers, sent) {
    const answer = await call(fixture, path, { method, ...(sent === '' ? {} : { body: sent }), headers, local: true });
    return { code: answer.status, text: answer.text, warnings: warningsOf(answer) };
  },
  annotations(auditId) {
    const found = events.find((event) => event['auditID'] === auditId && event['stage'] === 'ResponseComplete');
    const annotations = found?.['annotations'] ?? {};
    return Promise.resolve(isBody(annotations) ? annotations : {});
  },
};

beforeAll(async () => {
  const auditor = new Auditor(systemClock, silentLogger);
  auditor.use(compilePolicy({ omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] }, GENERATED_NAMES.kubernetes));
  auditor.writeTo(sinkInto(events));
  fixture = await startFixture({ naming: 'kubernetes', audit: auditor, tokens: [parseTokenFile('tokens.csv', USERS, () => undefined)] });
  await preparePolicyCases(server);
}, 30_000);

afterAll(() => fixture.stop());

test.each(cases.map((recorded) => [recorded.title, recorded] as const))('%s', async (_, recorded) => {
  expect(await runPolicyCase(server, recorded)).toEqual(recorded);
});
