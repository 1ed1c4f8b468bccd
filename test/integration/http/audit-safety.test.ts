/** What the audit log never does: let a request begin that should have been recorded first, or hold one up that need not be. */
import { Auditor } from '../../../apiserver/audit/auditor';
import type { AuditEvent } from '../../../apiserver/audit/event';
import { LogFile } from '../../../apiserver/audit/log-file';
import { LogSink } from '../../../apiserver/audit/log-sink';
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

describe('a full disk under the log', () => {
  const lines = (mode: 'blocking' | 'blocking-strict'): Auditor => {
    const full = new Auditor(systemClock, silentLogger);
    full.use(compilePolicy({ rules: [{ level: 'RequestResponse' }] }, GENERATED_NAMES.platform));
    const file = new LogFile(
      { path: '/dev/full', maxBytes: 1e6, maxAgeMs: 0, maxBackups: 0, compress: false },
      systemClock,
      () => undefined,
    );
    const wording = { format: 'json', dialect: 'platform', longestEvent: undefined } as const;
    full.writeTo(new LogSink(file, wording, mode === 'blocking-strict', systemClock, full.lost));
    return full;
  };
  const withLog = async (mode: 'blocking' | 'blocking-strict', run: (on: Fixture, audit: Auditor) => Promise<void>): Promise<void> => {
    const audit = lines(mode);
    const on = await startFixture({ audit });
    try {
      await run(on, audit);
    } finally {
      await on.stop();
    }
  };
  const namespace = (on: Fixture): ReturnType<typeof call> =>
    call(on, '/api/v1/namespaces', { method: 'POST', body: '{"metadata":{"name":"kept"}}' });

  it('costs events, which are counted, and no request that was acknowledged', () =>
    withLog('blocking', async (on, audit) => {
      expect((await namespace(on)).status).toBe(201);
      expect((await call(on, '/api/v1/namespaces/kept')).status).toBe(200);
      await waitUntil('the events to be counted', () => audit.counts.lost.log >= 4);
    }));

  it('lets nothing begin where events have to be in safety first', () =>
    withLog('blocking-strict', async (on, audit) => {
      expect((await namespace(on)).status).toBe(500);
      audit.use(compilePolicy({ rules: [{ level: 'None' }] }, GENERATED_NAMES.platform));
      expect((await call(on, '/api/v1/namespaces/kept')).status).toBe(404);
    }));
});
