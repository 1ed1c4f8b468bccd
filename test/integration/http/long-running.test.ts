/** Long-running requests to a kubelet and an aggregated API server that never finish: they hold no seats, and the metrics count them while they are open. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { EXTENSION_GROUP, startExtensionServer, type ExtensionServer } from '../../support/extension-server';
import { waitUntil } from '../../support/programs';
import { ALICE } from './call';
import { useServer } from './fixture';
import { kubeletCertificate, POD, runPod, sent } from './kubelet-fixture';

const FLOW_CONTROL = '/apis/flowcontrol.apiserver.platform.io/v1';
const RBAC = 'rbac.authorization.platform.io';
const FLUNDERS = `/apis/${EXTENSION_GROUP}/v1/namespaces/default/flunders`;
const UPGRADE = 'Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n';

let kubelet: Server;
let extension: ExtensionServer;
const arrived: string[] = [];
const clients: Duplex[] = [];

/** A kubelet that starts every response and finishes none. */
async function startSilentKubelet(): Promise<void> {
  const { certificate: cert, key } = await kubeletCertificate(api);
  kubelet = createServer({ cert, key });
  kubelet.on('request', ({ url = '' }, response) => {
    arrived.push(url);
    response.writeHead(200).write('started\n');
  });
  kubelet.on('upgrade', ({ url = '' }, socket: Duplex) => {
    arrived.push(url);
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
  });
  kubelet.listen(0, '127.0.0.1');
  await once(kubelet, 'listening');
  const { port }: AddressInfo = Object(kubelet.address());
  await runPod(api, port);
}

async function registerExtension(): Promise<void> {
  extension = await startExtensionServer('ext', 'default');
  const { port, caBundle } = extension;
  await sent(api, 'POST', '/api/v1/namespaces/default/services', {
    metadata: { name: 'ext' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  await sent(api, 'POST', '/apis/apiregistration.platform.io/v1/apiservices', {
    metadata: { name: `v1.${EXTENSION_GROUP}` },
    spec: {
      group: EXTENSION_GROUP,
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 10,
      service: { namespace: 'default', name: 'ext', port },
      caBundle,
    },
  });
  await waitUntil('the extension server is available', async () => (await api.get(FLUNDERS)).status === 200);
}

/** All requests of alice share one seat; a request that finds it taken is rejected. */
async function giveAliceOneSeat(): Promise<void> {
  await sent(api, 'POST', `/apis/${RBAC}/v1/clusterrolebindings`, {
    metadata: { name: 'alice' },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: RBAC, kind: 'User', name: 'alice' }],
  });
  await sent(api, 'POST', `${FLOW_CONTROL}/prioritylevelconfigurations`, {
    metadata: { name: 'narrow' },
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 1, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } },
    },
  });
  await sent(api, 'POST', `${FLOW_CONTROL}/flowschemas`, {
    metadata: { name: 'narrow' },
    spec: {
      priorityLevelConfiguration: { name: 'narrow' },
      matchingPrecedence: 10,
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'alice' } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
        },
      ],
    },
  });
}

const api = useServer({
  kubelets: { addressTypes: ['InternalIP'], credentials: () => ({}), timeoutMs: 2_000 },
  plugins: { enabled: [], disabled: ['ServiceAccount'] },
  // Few seats in all, so that the level has a single one.
  maxReadOnly: 10,
  maxMutating: 10,
});
beforeAll(async () => {
  await startSilentKubelet();
  await registerExtension();
  await giveAliceOneSeat();
});
afterAll(async () => {
  kubelet.closeAllConnections();
  kubelet.close();
  await extension.close();
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  arrived.length = 0;
  extension.calls.length = 0;
  extension.behave('well');
});

/** Sends a request as alice that stays open, and returns a function that gives the bytes received so far. */
function open(method: string, target: string, headers = ''): () => string {
  const socket = connect({ host: '127.0.0.1', port: api.server.port, rejectUnauthorized: false });
  clients.push(socket);
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (data: Buffer) => (received += data.toString()));
  socket.write(`${method} ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ALICE}\r\n${headers}\r\n`);
  return () => received;
}

/** Number of requests to the extension server whose line ends with `end`. */
const reached = (end: string): number => extension.calls.filter(({ line }) => line.endsWith(end)).length;

async function metric(pattern: RegExp): Promise<number> {
  return Number(pattern.exec((await api.get('/metrics')).text)?.[1] ?? '0');
}

const executing = (): Promise<number> =>
  metric(/^apiserver_flowcontrol_current_executing_requests\{[^}]*priority_level="narrow"[^}]*\} (\d+)$/m);
const openRequests = (labels: string): Promise<number> =>
  metric(new RegExp(`^apiserver_longrunning_requests\\{[^}]*${labels}[^}]*\\} (\\d+)$`, 'm'));

const CONNECTIONS: readonly (readonly [name: string, method: string, target: string, headers: string, labels: string])[] = [
  ['a followed log', 'GET', `${POD}/log?follow=1`, '', 'verb="CONNECT".*subresource="log"'],
  ['a command', 'POST', `${POD}/exec?command=sh&stdout=1`, UPGRADE, 'verb="CONNECT".*subresource="exec"'],
  ['an attached terminal', 'POST', `${POD}/attach?stdout=1`, UPGRADE, 'verb="CONNECT".*subresource="attach"'],
  ['a forwarded port', 'POST', `${POD}/portforward`, UPGRADE, 'verb="CONNECT".*subresource="portforward"'],
];

describe('a long-running request', () => {
  test.each(CONNECTIONS)('holds no seat and is counted while it is open: %s', async (_, method, target, headers, labels) => {
    const answers = Array.from({ length: 3 }, () => open(method, target, headers));
    await waitUntil('three connections reach the kubelet', () => arrived.length === 3 && answers.every((text) => text() !== ''));
    expect([await executing(), await openRequests(labels)]).toEqual([0, 3]);
    for (const text of answers) {
      expect(text()).toMatch(/^HTTP\/1.1 (200|101) /);
      expect(text().toLowerCase()).not.toContain('-pf-flowschema-uid');
    }
    expect((await api.get(POD, { token: ALICE })).status).toBe(200);
    for (const client of clients.splice(0)) client.destroy();
    await waitUntil('none is open', async () => (await openRequests(labels)) === 0);
  });

  test('holds no seat while an aggregated API server answers its watch, even before the first byte', async () => {
    const answers = [open('GET', `${FLUNDERS}?watch=1`)];
    await waitUntil('an event', () => answers[0]?.().includes('"ADDED"') === true);
    extension.behave('hang');
    // One after the other: each holds the seat until it is passed on.
    for (let count = 2; count <= 3; count += 1) {
      answers.push(open('GET', `${FLUNDERS}?watch=1`));
      await waitUntil('the watch reaches the extension server', () => reached('?watch=1') === count);
    }
    expect(await executing()).toBe(0);
    expect(answers[0]?.().toLowerCase()).toContain('x-platform-pf-flowschema-uid: ');
    expect((await api.get(POD, { token: ALICE })).status).toBe(200);
  });

  test('holds no seat while an aggregated API server streams a log', async () => {
    extension.behave('hang');
    const [first, second] = [open('GET', `${FLUNDERS}/a/log`), open('GET', `${FLUNDERS}/a/log`)];
    await waitUntil('both reach the extension server', () => reached('/log') === 2);
    expect([await executing(), first(), second()]).toEqual([0, '', '']);
  });

  test('differs from a plain request to an aggregated API server, which holds its seat', async () => {
    extension.behave('hang');
    open('GET', FLUNDERS);
    await waitUntil('it reaches the extension server', () => reached('/flunders') === 1);
    expect(await executing()).toBe(1);
    expect((await api.get(POD, { token: ALICE })).status).toBe(429);
  });
});

describe('a watch', () => {
  test('takes one seat unless sendInitialEvents is set, and a list takes more', async () => {
    for (let at = 0; at < 120; at += 1) await sent(api, 'POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: `c${at}` } });
    const estimated = (): Promise<number> => metric(/^apiserver_flowcontrol_work_estimated_seats_sum\{[^}]*"narrow"[^}]*\} (\d+)$/m);
    const taken = async (query: string): Promise<number> => {
      const before = await estimated();
      const answer = await api.get(`/api/v1/namespaces/default/configmaps?${query}`, { token: ALICE });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.json));
      return (await estimated()) - before;
    };
    expect(await taken('watch=1&timeoutSeconds=1')).toBe(1);
    expect(await taken('watch=1&timeoutSeconds=1&resourceVersion=0')).toBe(1);
    expect(await taken('watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan')).toBe(2);
    expect(await taken('')).toBe(2);
  });
});
