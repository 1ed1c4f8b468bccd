/**
 * API Priority and Fairness over HTTP: the headers and metrics of a request, seats and queues, and the order of
 * FlowSchemas.
 */
import { request as secureRequest } from 'node:https';
import { useForEachTest } from '../../support/use-resource';
import { grantClusterAdmin, limitUserSeats } from './access-setup';
import { ALICE, type ApiResponse, type CallOptions } from './api-call';
import { useServer, useStarter } from './fixture';
import { openWatch } from './open-watch';

const LEVELS = '/apis/flowcontrol.apiserver.platform.io/v1/prioritylevelconfigurations';
const SCHEMAS = '/apis/flowcontrol.apiserver.platform.io/v1/flowschemas';
const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

describe('a server without limits of its own', () => {
  const api = useServer();
  const uidOf = async (path: string): Promise<string> => Object((await api.read(path))['metadata']).uid;

  describe('responds with the uids of the FlowSchema and the priority level', () => {
    const uidsOf = ({ status, headers }: ApiResponse): unknown[] => [
      status,
      headers['x-platform-pf-flowschema-uid'],
      headers['x-platform-pf-prioritylevel-uid'],
    ];

    it.each<[string, string, CallOptions, number, string, string]>([
      ['an administrator', '/api/v1/namespaces', {}, 200, 'exempt', 'exempt'],
      ['a user without rights', '/api/v1/namespaces', { token: ALICE }, 403, 'global-default', 'global-default'],
      ['an anonymous health check', '/healthz', { token: null }, 200, 'probes', 'exempt'],
    ])('to %s', async (_user, path, options, status, schema, level) => {
      const uids = [await uidOf(`${SCHEMAS}/${schema}`), await uidOf(`${LEVELS}/${level}`)];
      expect(uidsOf(await api.get(path, options))).toEqual([status, ...uids]);
    });

    it('except when the authentication fails', async () => {
      expect(uidsOf(await api.get('/api/v1/namespaces', { token: 'wrong' }))).toEqual([401, undefined, undefined]);
    });

    it('in headers of the dialect of the path', async () => {
      const { headers } = await api.get('/apis/coordination.k8s.io/v1/leases');
      const uid = await uidOf(`${LEVELS}/exempt`);
      expect([headers['x-kubernetes-pf-prioritylevel-uid'], headers['x-platform-pf-prioritylevel-uid']]).toEqual([uid, undefined]);
    });
  });

  it('counts requests by their FlowSchema and priority level', async () => {
    const text = await api.metrics();
    for (const series of [
      'dispatched_requests_total{flow_schema="global-default",priority_level="global-default"} 1\n',
      'nominal_limit_seats{priority_level="workload-low"} 245\n',
      'request_wait_duration_seconds_count{execute="true",flow_schema="exempt",priority_level="exempt"}',
    ])
      expect(text).toContain(`apiserver_flowcontrol_${series}`);
  });

  it('prints FlowSchemas in the order of their precedence and names, also within a page', async () => {
    const printed = async (query: string): Promise<readonly (readonly [string, number])[]> => {
      const { rows: cellRows } = Object(
        await api.read(`${SCHEMAS}${query}`, { accept: 'application/json;as=Table;v=v1;g=meta.platform.io' }),
      );
      return cellRows.map(({ cells: [name, , precedence] }: { cells: [string, string, number] }) => [name, precedence]);
    };
    const rows = await printed('');
    const first = { exempt: 1, probes: 2, 'system-leader-election': 100, 'endpoint-controller': 150 };
    expect(rows.slice(0, 4)).toEqual(Object.entries(first));
    expect(rows.slice(-2)).toEqual(Object.entries({ 'global-default': 9900, 'catch-all': 10000 }));
    expect(rows).toEqual(rows.toSorted(([a, first], [b, second]) => first - second || (a < b ? -1 : 1)));
    expect(await printed('?limit=3')).toEqual(Object.entries({ exempt: 1, 'endpoint-controller': 150, 'catch-all': 10000 }));
  });
});

describe('a priority level of one user', () => {
  const start = useStarter();
  const api = useForEachTest(() => start({ maxReadOnly: 20, maxMutating: 20 }));

  /** Creates the level `narrow` for requests of alice for ConfigMaps. */
  async function createLevel(level: object): Promise<void> {
    await grantClusterAdmin(api(), 'alice');
    const limited = { nominalConcurrencyShares: 0, borrowingLimitPercent: 0, ...level };
    const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['configmaps'], namespaces: ['*'] };
    await limitUserSeats(api(), { user: 'alice', limited, rule, flowSchemaSpec: { distinguisherMethod: { type: 'ByUser' } } });
  }

  /** Starts a request without the end of its body, which keeps its seat. */
  function holdSeat(): { end(): void; readonly statusCode: Promise<number> } {
    const sent = secureRequest({
      host: '127.0.0.1',
      port: api().server.port,
      rejectUnauthorized: false,
      agent: false,
      method: 'POST',
      path: CONFIGMAPS,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ALICE}` },
    });
    const statusCode = new Promise<number>((resolve, reject) => {
      sent.on('response', (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      });
      sent.on('error', reject);
    });
    sent.write('{"metadata":');
    return { end: () => sent.end('{"name":"x"}}'), statusCode };
  }

  const levelMetric = (name: string): Promise<number> =>
    api().metric(`apiserver_flowcontrol_${name}\\{[^}]*priority_level="narrow"[^}]*\\}`);

  async function waitForLevel(executing: number, waiting: number): Promise<void> {
    while ((await levelMetric('current_executing_requests')) !== executing || (await levelMetric('current_inqueue_requests')) !== waiting)
      await new Promise((resolve) => setImmediate(resolve));
  }

  it('queues requests without a seat until seats are free, and rejects those beyond the queue', async () => {
    await createLevel({
      nominalConcurrencyShares: 5,
      limitResponse: { type: 'Queue', queuing: { queues: 4, handSize: 1, queueLengthLimit: 2 } },
    });
    const nominal = await levelMetric('nominal_limit_seats');
    const running = Array.from({ length: nominal }, () => holdSeat());
    await waitForLevel(nominal, 0);
    const waiting = [api().get(CONFIGMAPS, { token: ALICE }), api().get(CONFIGMAPS, { token: ALICE })];
    await waitForLevel(nominal, 2);
    const full = await api().get(CONFIGMAPS, { token: ALICE });
    expect([full.status, full.text, full.headers['retry-after']]).toEqual([429, 'Too many requests, please try again later.\n', '1']);
    // Other users and other resources have seats of their own.
    expect((await api().get(CONFIGMAPS)).status).toBe(200);
    expect((await api().get('/api/v1/namespaces/default/secrets', { token: ALICE })).status).toBe(200);
    running.forEach(({ end }) => end());
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await Promise.all(running.map(({ statusCode }) => statusCode))).filter((status) => status === 201)).toHaveLength(1);
    await waitForLevel(0, 0);
  });

  it('gets the seat of a watch back once the watch has sent its initial events', async () => {
    await createLevel({ nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } });
    const watches = [];
    for (let count = 0; count < 5; count += 1) {
      watches.push(await openWatch(api(), `${CONFIGMAPS}?watch=true`, { authorization: `Bearer ${ALICE}` }));
      await waitForLevel(0, 0);
    }
    expect(watches.map(({ response }) => response.statusCode)).toEqual([200, 200, 200, 200, 200]);
    expect((await api().get(CONFIGMAPS, { token: ALICE })).status).toBe(200);
    for (const watch of watches) watch.close();
  });
});
