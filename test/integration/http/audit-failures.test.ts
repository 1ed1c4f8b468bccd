/** Failures of the audit log: which requests are rejected when an event cannot be stored, and which succeed. */
import { Auditor } from '../../../apiserver/audit/auditor';
import type { AuditEvent } from '../../../apiserver/audit/event';
import { LogFile } from '../../../apiserver/audit/log-file';
import { LogBackend } from '../../../apiserver/audit/log-backend';
import { compilePolicy } from '../../../apiserver/audit/policy';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { waitUntil } from '../../support/programs';
import type { ApiResponse } from './api-call';
import { useServer, useStarter, type Fixture } from './fixture';

const NAMESPACES = '/api/v1/namespaces';

type Rules = Parameters<typeof compilePolicy>[0]['rules'];
const policyOf = (...rules: Rules) => compilePolicy({ rules }, GENERATED_NAMES.platform);

const auditor = new Auditor(systemClock, silentLogger);
auditor.setPolicy(policyOf({ level: 'None', verbs: ['list'] }, { level: 'Metadata' }));
/** The backend of the log: what it received, and whether it reports that an event is stored. */
const sink = { events: [] as AuditEvent[], isSafe: true };
auditor.setBackends({
  name: 'log',
  processEvent: (event) => sink.events.push(event) > 0 && sink.isSafe,
  close: () => Promise.resolve(),
});
const api = useServer({ audit: auditor });
const createNamespace = (name: string, server: Fixture = api): Promise<ApiResponse> => server.post(NAMESPACES, { metadata: { name } });

beforeEach(() => void Object.assign(sink, { events: [], isSafe: true }));

it('a request whose first event cannot be stored is rejected without an effect', async () => {
  sink.isSafe = false;
  const before = auditor.counts.rejected;
  const response = await createNamespace('unseen');
  expect([response.status, response.text]).toEqual([500, 'Internal Server Error: "/api/v1/namespaces": failed to store audit event\n']);
  sink.isSafe = true;
  expect((await api.get(`${NAMESPACES}/unseen`)).status).toBe(404);
  expect(auditor.counts.rejected - before).toBe(1);
});

it('events below the level Request have no bodies', async () => {
  await createNamespace('plain');
  await waitUntil('both events', () => sink.events.length === 2);
  expect(sink.events.map(({ stage, requestObject, responseObject }) => [stage, requestObject, responseObject])).toEqual([
    ['RequestReceived', undefined, undefined],
    ['ResponseComplete', undefined, undefined],
  ]);
});

it('events have the audit id of the response', async () => {
  const { headers } = await api.get('/version');
  await waitUntil('both events', () => sink.events.length === 2);
  expect(sink.events.map(({ subject }) => subject.auditId)).toEqual([headers['audit-id'], headers['audit-id']]);
});

it('a request that the policy leaves out has no events', async () => {
  await api.get('/version');
  await waitUntil('both events', () => sink.events.length === 2);
  await api.get(NAMESPACES);
  expect(sink.events).toHaveLength(2);
});

it('metrics count events, levels and rejected requests', async () => {
  await createNamespace('counted');
  const text = await api.metrics();
  expect(text).toMatch(/^apiserver_audit_event_total [1-9]/m);
  expect(text).toMatch(/^apiserver_audit_level_total\{level="Metadata"\} [1-9]/m);
  expect(text).toMatch(/^apiserver_audit_requests_rejected_total 1$/m);
});

describe('a log on a full disk', () => {
  const start = useStarter();

  async function startWithLog(mode: 'blocking' | 'blocking-strict'): Promise<{ readonly server: Fixture; readonly audit: Auditor }> {
    const audit = new Auditor(systemClock, silentLogger);
    audit.setPolicy(policyOf({ level: 'RequestResponse' }));
    const logOptions = { path: '/dev/full', maxBytes: 1e6, maxAgeMs: 0, maxBackups: 0, compress: false };
    const target = new LogFile(logOptions, systemClock, () => undefined);
    const encoding = { format: 'json', dialect: 'platform', maxEventBytes: undefined } as const;
    const isStrict = mode === 'blocking-strict';
    const { onEventsLost } = audit;
    audit.setBackends(new LogBackend({ target, encoding, isStrict, clock: systemClock, onEventsLost }));
    return { server: await start({ audit }), audit };
  }

  it('loses events, which are counted, and no acknowledged request', async () => {
    const { server, audit } = await startWithLog('blocking');
    expect((await createNamespace('kept', server)).status).toBe(201);
    expect((await server.get(`${NAMESPACES}/kept`)).status).toBe(200);
    // Each of the two requests has an event when it is received and one when it is complete.
    await waitUntil('the events to be counted', () => audit.counts.lost.log >= 4);
  });

  it('rejects every request in the mode blocking-strict', async () => {
    const { server, audit } = await startWithLog('blocking-strict');
    expect((await createNamespace('kept', server)).status).toBe(500);
    audit.setPolicy(policyOf({ level: 'None' }));
    expect((await server.get(`${NAMESPACES}/kept`)).status).toBe(404);
  });
});
