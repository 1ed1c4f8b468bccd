/** What admission policies make of requests, of their parameters and of what they cannot tell: replays what the reference server did (test/replay/policies.ts). */
import { Auditor } from '../../../apiserver/audit/auditor';
import { compilePolicy } from '../../../apiserver/audit/policy';
import { parseTokenFile } from '../../../apiserver/authentication/token-file';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { CASES } from '../../replay/policies/cases';
import { openNamespace, runCase, type Asked } from '../../replay/policies/run';
import { casesOf } from '../../replay/recording';
import type { Body } from '../../replay/reference';
import { body } from '../../replay/shape';
import { sinkInto } from '../../support/audit-event';
import { ADMIN, call, startFixture, warningsOf, type Fixture } from './fixture';

const RECORDED = casesOf('admission/policies', body);
const USERS = `${ADMIN},admin,admin-uid,"system:masters"\n`;

let fixture: Fixture;
const events: Body[] = [];

const server: Asked = {
  async send(method, path, headers, sent) {
    const answer = await call(fixture, path, { method, ...(sent === '' ? {} : { body: sent }), headers, local: true });
    return { code: answer.status, text: answer.text, warnings: warningsOf(answer) };
  },
  annotations(auditId) {
    const found = events.find((event) => event['auditID'] === auditId && event['stage'] === 'ResponseComplete');
    return Promise.resolve(found?.['annotations'] ?? {});
  },
};

beforeAll(async () => {
  const auditor = new Auditor(systemClock, silentLogger);
  auditor.use(compilePolicy({ omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] }, GENERATED_NAMES.kubernetes));
  auditor.writeTo(sinkInto(events));
  fixture = await startFixture({ naming: 'kubernetes', audit: auditor, tokens: [parseTokenFile('tokens.csv', USERS, () => undefined)] });
  await openNamespace(server);
}, 30_000);

afterAll(() => fixture.stop());

test.each(CASES.map((one, index) => [one.title, one, RECORDED[index]] as const))('%s', async (_, one, recorded) => {
  expect(await runCase(server, one)).toEqual(recorded);
});
