/** Who waits and who is turned away, over real HTTP: a flood of one user leaves the others their turn. */
import { request as secureRequest } from 'node:https';
import { ALICE, call } from './call';
import { type Fixture, startFixture } from './fixture';

const LEVELS = '/apis/flowcontrol.apiserver.platform.io/v1/prioritylevelconfigurations';
const SCHEMAS = '/apis/flowcontrol.apiserver.platform.io/v1/flowschemas';
const JSON_BODY = { 'content-type': 'application/json' };

let f: Fixture;
afterEach(() => f.stop());

async function uidOf(path: string): Promise<string> {
  const { metadata }: { metadata: { uid: string } } = JSON.parse((await f.get(path)).text);
  return metadata.uid;
}

it('says under what a request falls, whatever comes of it, and nothing of those who are not known', async () => {
  f = await startFixture();
  const exempt = await uidOf(`${LEVELS}/exempt`);
  const headers = (answer: Awaited<ReturnType<typeof call>>): unknown[] => [
    answer.status,
    answer.headers['x-platform-pf-flowschema-uid'],
    answer.headers['x-platform-pf-prioritylevel-uid'],
  ];
  expect(headers(await f.get('/api/v1/namespaces'))).toEqual([200, await uidOf(`${SCHEMAS}/exempt`), exempt]);
  expect(headers(await f.get('/api/v1/namespaces', { token: ALICE }))).toEqual([
    403,
    await uidOf(`${SCHEMAS}/global-default`),
    await uidOf(`${LEVELS}/global-default`),
  ]);
  expect(headers(await f.get('/healthz', { token: null }))).toEqual([200, await uidOf(`${SCHEMAS}/probes`), exempt]);
  expect(headers(await f.get('/api/v1/namespaces', { token: 'wrong' }))).toEqual([401, undefined, undefined]);
  const { headers: upstream } = await f.get('/apis/coordination.k8s.io/v1/leases');
  expect([upstream['x-kubernetes-pf-prioritylevel-uid'], upstream['x-platform-pf-prioritylevel-uid']]).toEqual([exempt, undefined]);
  const { text } = await f.get('/metrics');
  expect(text).toContain(
    'apiserver_flowcontrol_dispatched_requests_total{flow_schema="global-default",priority_level="global-default"} 1\n',
  );
  expect(text).toContain('apiserver_flowcontrol_nominal_limit_seats{priority_level="workload-low"} 245\n');
  expect(text).toContain(
    'apiserver_flowcontrol_request_wait_duration_seconds_count{execute="true",flow_schema="exempt",priority_level="exempt"}',
  );
});

/** A request whose body does not come to an end: it keeps its seat. */
function hold(token: string): { end(): void; readonly answered: Promise<number> } {
  const { port } = f.server;
  let end: () => void = () => undefined;
  const answered = new Promise<number>((resolve, reject) => {
    const sent = secureRequest(
      {
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: '/api/v1/namespaces/default/configmaps',
        rejectUnauthorized: false,
        agent: false,
        headers: { ...JSON_BODY, authorization: `Bearer ${token}` },
      },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    sent.on('error', reject);
    sent.write('{"metadata":');
    end = () => sent.end('{"name":"x"}}');
  });
  return { end, answered };
}

async function seats(level: string): Promise<{ readonly executing: number; readonly waiting: number }> {
  const { text } = await f.get('/metrics');
  const value = (name: string): number =>
    Number(new RegExp(`^apiserver_flowcontrol_${name}\\{[^}]*priority_level="${level}"[^}]*\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return { executing: value('current_executing_requests'), waiting: value('current_inqueue_requests') };
}

async function until(level: string, wanted: { readonly executing: number; readonly waiting: number }): Promise<void> {
  for (;;) {
    const found = await seats(level);
    if (found.executing === wanted.executing && found.waiting === wanted.waiting) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const permit = async (user: string): Promise<void> => {
  const body = {
    metadata: { name: `may-${user}` },
    roleRef: { apiGroup: 'rbac.authorization.platform.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.platform.io', kind: 'User', name: user }],
  };
  const path = '/apis/rbac.authorization.platform.io/v1/clusterrolebindings';
  expect((await f.post(path, body)).status).toBe(201);
};

async function limit(level: object): Promise<void> {
  const spec = { type: 'Limited', limited: { nominalConcurrencyShares: 0, borrowingLimitPercent: 0, ...level } };
  const made = [
    [LEVELS, { metadata: { name: 'narrow' }, spec }],
    [
      SCHEMAS,
      {
        metadata: { name: 'narrow' },
        spec: {
          priorityLevelConfiguration: { name: 'narrow' },
          matchingPrecedence: 10,
          distinguisherMethod: { type: 'ByUser' },
          rules: [
            {
              subjects: [{ kind: 'User', user: { name: 'alice' } }],
              resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['configmaps'], namespaces: ['*'] }],
            },
          ],
        },
      },
    ],
  ] as const;
  for (const [path, body] of made) {
    expect((await f.post(path, body)).status).toBe(201);
  }
}

const list = '/api/v1/namespaces/default/configmaps';

it('makes those wait who have no seats left, and lets them in in turn', async () => {
  f = await startFixture({ maxReadOnly: 20, maxMutating: 20 });
  await permit('alice');
  await limit({ nominalConcurrencyShares: 5, limitResponse: { type: 'Queue', queuing: { queues: 4, handSize: 1, queueLengthLimit: 2 } } });
  const nominal = Number(/nominal_limit_seats\{priority_level="narrow"\} (\d+)/.exec((await f.get('/metrics')).text)?.[1]);
  const running = Array.from({ length: nominal }, () => hold(ALICE));
  await until('narrow', { executing: nominal, waiting: 0 });
  const waiting = [f.get(list, { token: ALICE }), f.get(list, { token: ALICE })];
  await until('narrow', { executing: nominal, waiting: 2 });
  const full = await f.get(list, { token: ALICE });
  expect([full.status, full.text, full.headers['retry-after']]).toEqual([429, 'Too many requests, please try again later.\n', '1']);
  // Others have seats of their own.
  expect((await f.get(list)).status).toBe(200);
  expect((await f.get('/api/v1/namespaces/default/secrets', { token: ALICE })).status).toBe(200);
  running.forEach(({ end }) => end());
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await Promise.all(running.map(({ answered }) => answered))).filter((status) => status === 201)).toHaveLength(1);
  await until('narrow', { executing: 0, waiting: 0 });
});

it('gives the seats of a watch back as soon as it has told what there was', async () => {
  f = await startFixture({ maxReadOnly: 20, maxMutating: 20 });
  await permit('alice');
  await limit({ nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } });
  const { port } = f.server;
  const open = (): Promise<{ readonly status: number; close(): void }> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${ALICE}` };
      const settings = { host: '127.0.0.1', port, path: `${list}?watch=true`, rejectUnauthorized: false, agent: false, headers };
      const sent = secureRequest(settings, (response) => {
        response.on('error', () => undefined);
        resolve({ status: response.statusCode ?? 0, close: () => response.destroy() });
      });
      sent.on('error', reject);
      sent.end();
    });
  const watches = [];
  for (let count = 0; count < 5; count += 1) {
    watches.push(await open());
    await until('narrow', { executing: 0, waiting: 0 });
  }
  expect(watches.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect((await f.get(list, { token: ALICE })).status).toBe(200);
  for (const watch of watches) watch.close();
});

it('shows schemas in the order in which they are tried, also within a page', async () => {
  f = await startFixture();
  const shown = async (query: string): Promise<readonly (readonly [string, number])[]> => {
    const answer = await f.get(`${SCHEMAS}${query}`, { accept: 'application/json;as=Table;v=v1;g=meta.platform.io' });
    const { rows }: { rows: readonly { readonly cells: readonly [string, string, number] }[] } = JSON.parse(answer.text);
    return rows.map(({ cells: [name, , precedence] }) => [name, precedence]);
  };
  const all = await shown('');
  expect(all.slice(0, 4)).toEqual([
    ['exempt', 1],
    ['probes', 2],
    ['system-leader-election', 100],
    ['endpoint-controller', 150],
  ]);
  expect(all.slice(-2)).toEqual([
    ['global-default', 9900],
    ['catch-all', 10000],
  ]);
  // Whose precedence is the same stand in the order of their names.
  expect(all.map(([, precedence]) => precedence)).toEqual(all.map(([, precedence]) => precedence).toSorted((a, b) => a - b));
  expect(await shown('?limit=3')).toEqual([
    ['exempt', 1],
    ['endpoint-controller', 150],
    ['catch-all', 10000],
  ]);
});
