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

describe('the default configuration', () => {
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

  it('prints FlowSchemas, also those of a page, in the order of their precedence and names', async () => {
    interface PrintedSchema {
      readonly name: string;
      readonly precedence: number;
    }
    const readPrinted = async (query: string): Promise<readonly PrintedSchema[]> => {
      const accept = 'application/json;as=Table;v=v1;g=meta.platform.io';
      const { rows }: { readonly rows: readonly { readonly cells: [string, string, number] }[] } = Object(
        await api.read(`${SCHEMAS}${query}`, { accept }),
      );
      return rows.map(({ cells: [name, _priorityLevel, precedence] }) => ({ name, precedence }));
    };
    const byPrecedence = (a: PrintedSchema, b: PrintedSchema): number => a.precedence - b.precedence || (a.name < b.name ? -1 : 1);
    const printed = await readPrinted('');
    expect(printed).toEqual(printed.toSorted(byPrecedence));
    expect(printed.slice(0, 2)).toEqual([
      { name: 'exempt', precedence: 1 },
      { name: 'probes', precedence: 2 },
    ]);
    expect(printed.at(-1)).toEqual({ name: 'catch-all', precedence: 10_000 });
    // A page has the first three FlowSchemas by name.
    expect(await readPrinted('?limit=3')).toEqual([
      { name: 'exempt', precedence: 1 },
      { name: 'endpoint-controller', precedence: 150 },
      { name: 'catch-all', precedence: 10_000 },
    ]);
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

  /** Waits until the level has so many executing requests and so many in its queues. */
  async function waitForLevel({ executing, queued }: { readonly executing: number; readonly queued: number }): Promise<void> {
    while ((await levelMetric('current_executing_requests')) !== executing || (await levelMetric('current_inqueue_requests')) !== queued)
      await new Promise((resolve) => setImmediate(resolve));
  }

  it('queues requests without a seat until seats are free, and rejects those beyond the queue', async () => {
    await createLevel({
      nominalConcurrencyShares: 5,
      limitResponse: { type: 'Queue', queuing: { queues: 4, handSize: 1, queueLengthLimit: 2 } },
    });
    const nominal = await levelMetric('nominal_limit_seats');
    const running = Array.from({ length: nominal }, () => holdSeat());
    await waitForLevel({ executing: nominal, queued: 0 });
    const waiting = [api().get(CONFIGMAPS, { token: ALICE }), api().get(CONFIGMAPS, { token: ALICE })];
    await waitForLevel({ executing: nominal, queued: 2 });
    const full = await api().get(CONFIGMAPS, { token: ALICE });
    expect([full.status, full.text, full.headers['retry-after']]).toEqual([429, 'Too many requests, please try again later.\n', '1']);
    // Other users and other resources have seats of their own.
    expect((await api().get(CONFIGMAPS)).status).toBe(200);
    expect((await api().get('/api/v1/namespaces/default/secrets', { token: ALICE })).status).toBe(200);
    running.forEach(({ end }) => end());
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await Promise.all(running.map(({ statusCode }) => statusCode))).filter((status) => status === 201)).toHaveLength(1);
    await waitForLevel({ executing: 0, queued: 0 });
  });

  it('gets the seat of a watch back once the watch has sent its initial events', async () => {
    await createLevel({ nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } });
    const watches = [];
    for (let count = 0; count < 5; count += 1) {
      watches.push(await openWatch(api(), `${CONFIGMAPS}?watch=true`, { authorization: `Bearer ${ALICE}` }));
      await waitForLevel({ executing: 0, queued: 0 });
    }
    expect(watches.map(({ response }) => response.statusCode)).toEqual([200, 200, 200, 200, 200]);
    expect((await api().get(CONFIGMAPS, { token: ALICE })).status).toBe(200);
    for (const watch of watches) watch.close();
  });
});
