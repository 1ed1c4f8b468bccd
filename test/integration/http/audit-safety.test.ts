/** What the audit log never does: let a request begin that should have been recorded first, or hold one up that need not be. */
import { Auditor } from '../../../apiserver/audit/auditor';
import type { AuditEvent } from '../../../apiserver/audit/event';
import { compilePolicy } from '../../../apiserver/audit/policy';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { waitUntil } from '../../support/programs';
import { call, startFixture, type Fixture } from './fixture';

let fixture: Fixture;
let safe = true;
const events: AuditEvent[] = [];
const auditor = new Auditor(systemClock, silentLogger);

beforeAll(async () => {
  auditor.use(compilePolicy({ rules: [{ level: 'None', verbs: ['list'] }, { level: 'Metadata' }] }, GENERATED_NAMES.platform));
  auditor.writeTo({
    name: 'log',
    take(event) {
      events.push(event);
      return safe;
    },
    close: () => Promise.resolve(),
  });
  fixture = await startFixture({ audit: auditor });
});
afterAll(() => fixture.stop());
beforeEach(() => {
  safe = true;
  events.length = 0;
});

const create = (name: string): ReturnType<typeof call> =>
  call(fixture, '/api/v1/namespaces', { method: 'POST', body: `{"metadata":{"name":"${name}"}}` });

it('refuses a request whose first event is not in safety, and does nothing of it', async () => {
  safe = false;
  const before = auditor.counts.rejected;
  const answer = await create('unseen');
  expect([answer.status, answer.text]).toEqual([500, 'Internal Server Error: "/api/v1/namespaces": failed to store audit event\n']);
  safe = true;
  expect((await call(fixture, '/api/v1/namespaces/unseen')).status).toBe(404);
  expect(auditor.counts.rejected - before).toBe(1);
});

it('keeps no bodies below Request', async () => {
  await create('plain');
  await waitUntil('both events', () => events.length === 2);
  expect(events.map(({ stage, requestObject, responseObject }) => [stage, requestObject, responseObject])).toEqual([
    ['RequestReceived', undefined, undefined],
    ['ResponseComplete', undefined, undefined],
  ]);
});

it('records the id that the answer carries, and nothing of what the policy leaves out', async () => {
  const { headers } = await call(fixture, '/version');
  await waitUntil('both events', () => events.length === 2);
  expect(events.map(({ subject }) => subject.auditId)).toEqual([headers['audit-id'], headers['audit-id']]);
  await call(fixture, '/api/v1/namespaces');
  expect(events).toHaveLength(2);
});

it('is told by metrics', async () => {
  await create('counted');
  const { text } = await call(fixture, '/metrics');
  expect(text).toMatch(/^apiserver_audit_event_total [1-9]/m);
  expect(text).toMatch(/^apiserver_audit_level_total\{level="Metadata"\} [1-9]/m);
  expect(text).toMatch(/^apiserver_audit_requests_rejected_total 1$/m);
});
