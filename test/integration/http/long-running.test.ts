/**
 * Long-running requests to a kubelet and an aggregated API server that never finish: they hold no seats, and the
 * metrics count them while they are open.
 */
import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';
import { EXTENSION_GROUP, startExtensionServer } from '../../support/servers/extension-server';
import { waitUntil } from '../../support/programs';
import { useClosable } from '../../support/use-resource';
import { grantClusterAdmin, limitUserSeats } from './access-setup';
import { createExternalService, registerApiService } from './aggregation-setup';
import { ALICE, requestBytes } from './api-call';
import { requireSuccess } from './fixture';
import { POD, useKubelet, useKubeletServer } from './kubelet-fixture';

const FLUNDERS = `/apis/${EXTENSION_GROUP}/v1/namespaces/default/flunders`;
const UPGRADE = ['Connection: Upgrade', 'Upgrade: SPDY/3.1'];

const kubeletRequests: string[] = [];
const clients: Duplex[] = [];

/** Starts every response and never ends it. */
function startResponses(kubelet: Server): void {
  kubelet.on('request', ({ url = '' }, response) => {
    kubeletRequests.push(url);
    response.writeHead(200).write('started\n');
  });
  kubelet.on('upgrade', ({ url = '' }, socket: Duplex) => {
    kubeletRequests.push(url);
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
  });
}

// Few seats in total, so that the priority level of alice gets one.
const api = useKubeletServer(undefined, { maxReadOnly: 10, maxMutating: 10 });
useKubelet(api, startResponses);
const extension = useClosable(() => startExtensionServer('ext', 'default'));

beforeAll(async () => {
  const { port, caBundle } = extension();
  await createExternalService(api, 'default');
  await registerApiService(api, { group: EXTENSION_GROUP, namespace: 'default', port, caBundle });
  await waitUntil('the extension server is available', async () => (await api.get(FLUNDERS)).status === 200);
  await grantClusterAdmin(api, 'alice');
  // All requests of alice share one seat; a request while it is occupied is rejected.
  const limited = { nominalConcurrencyShares: 1, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } };
  const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true };
  await limitUserSeats(api, { user: 'alice', limited, rule });
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  kubeletRequests.length = 0;
  extension().calls.length = 0;
  extension().setBehaviour('normal');
});

/** Sends a request as alice that stays open, and returns a function that gives the bytes received so far. */
function open(method: string, target: string, headers: readonly string[] = []): () => string {
  const socket = api.openSocket();
  clients.push(socket);
  let received = '';
  socket.on('data', (data: Buffer) => (received += data.toString()));
  socket.write(requestBytes(`${method} ${target}`, headers, ALICE));
  return () => received;
}

/** Number of request lines at the extension server that end with `end`. */
const countExtensionRequests = (end: string): number => extension().calls.filter(({ line }) => line.endsWith(end)).length;

const countExecuting = () => api.metric('apiserver_flowcontrol_current_executing_requests\\{[^}]*priority_level="narrow"[^}]*\\}');
const countOpen = (labels: string) => api.metric(`apiserver_longrunning_requests\\{[^}]*${labels}[^}]*\\}`);

const CONNECTIONS: readonly (readonly [name: string, method: string, path: string, headers: readonly string[], labels: string])[] = [
  ['a followed log', 'GET', 'log?follow=1', [], 'verb="CONNECT".*subresource="log"'],
  ['a command', 'POST', 'exec?command=sh&stdout=1', UPGRADE, 'verb="CONNECT".*subresource="exec"'],
  ['an attached terminal', 'POST', 'attach?stdout=1', UPGRADE, 'verb="CONNECT".*subresource="attach"'],
  ['a forwarded port', 'POST', 'portforward', UPGRADE, 'verb="CONNECT".*subresource="portforward"'],
];

describe('a long-running request', () => {
  test.each(CONNECTIONS)('holds no seat and is counted while it is open: %s', async (_, method, path, headers, labels) => {
    const responses = Array.from({ length: 3 }, () => open(method, `${POD}/${path}`, headers));
    await waitUntil('three connections reach the kubelet', () => kubeletRequests.length === 3 && responses.every((text) => text() !== ''));
    expect([await countExecuting(), await countOpen(labels)]).toEqual([0, 3]);
    for (const text of responses) {
      expect(text()).toMatch(/^HTTP\/1.1 (200|101) /);
      expect(text().toLowerCase()).not.toContain('-pf-flowschema-uid');
    }
    expect((await api.get(POD, { token: ALICE })).status).toBe(200);
    for (const client of clients.splice(0)) client.destroy();
    await waitUntil('none is open', async () => (await countOpen(labels)) === 0);
  });

  test('holds no seat while an aggregated API server responds to its watch, even before the first byte', async () => {
    const responses = [open('GET', `${FLUNDERS}?watch=1`)];
    await waitUntil('an event', () => responses[0]?.().includes('"ADDED"') === true);
    extension().setBehaviour('hang');
    // One after the other, because each holds the seat until it is proxied.
    for (let count = 2; count <= 3; count += 1) {
      responses.push(open('GET', `${FLUNDERS}?watch=1`));
      await waitUntil('the watch reaches the extension server', () => countExtensionRequests('?watch=1') === count);
    }
    expect(await countExecuting()).toBe(0);
    expect(responses[0]?.().toLowerCase()).toContain('x-platform-pf-flowschema-uid: ');
    expect((await api.get(POD, { token: ALICE })).status).toBe(200);
  });

  test('holds no seat while an aggregated API server streams a log', async () => {
    extension().setBehaviour('hang');
    const first = open('GET', `${FLUNDERS}/a/log`);
    const second = open('GET', `${FLUNDERS}/a/log`);
    await waitUntil('both reach the extension server', () => countExtensionRequests('/log') === 2);
    expect([await countExecuting(), first(), second()]).toEqual([0, '', '']);
  });

  test('differs from a plain request to an aggregated API server, which holds its seat', async () => {
    extension().setBehaviour('hang');
    open('GET', FLUNDERS);
    await waitUntil('it reaches the extension server', () => countExtensionRequests('/flunders') === 1);
    expect(await countExecuting()).toBe(1);
    expect((await api.get(POD, { token: ALICE })).status).toBe(429);
  });
});

describe('a watch', () => {
  test('takes one seat, or with sendInitialEvents as many as a list', async () => {
    for (let index = 0; index < 120; index += 1) await api.createConfigMap(`c${index}`);
    const readEstimatedSeats = () => api.metric('apiserver_flowcontrol_work_estimated_seats_sum\\{[^}]*"narrow"[^}]*\\}');
    const estimatedSeats = async (query: string): Promise<number> => {
      const before = await readEstimatedSeats();
      const response = await api.get(`/api/v1/namespaces/default/configmaps?${query}`, { token: ALICE });
      requireSuccess(response);
      return (await readEstimatedSeats()) - before;
    };
    expect(await estimatedSeats('watch=1&timeoutSeconds=1')).toBe(1);
    expect(await estimatedSeats('watch=1&timeoutSeconds=1&resourceVersion=0')).toBe(1);
    expect(await estimatedSeats('watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan')).toBe(2);
    expect(await estimatedSeats('')).toBe(2);
  });
});
