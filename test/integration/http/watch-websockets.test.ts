/** Watches over WebSockets, as web pages request them: the events of a watch over HTTP, each as one message. */
import { once } from 'node:events';
import type WebSocket from 'ws';
import { waitUntil } from '../../support/programs';
import { ADMIN, requestBytes } from './api-call';
import { openWebSocket } from './web-socket';
import { useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const BEARER = `base64url.bearer.authorization.k8s.io.${Buffer.from(ADMIN).toString('base64url')}`;

const api = useServer();
beforeAll(() => api.createConfigMap('one', { a: '1' }));

const open = (path: string, protocols: readonly string[] = [BEARER, 'base64.binary.k8s.io'], headers = {}) =>
  openWebSocket(api, path, protocols, { headers, origin: 'https://page.example' });

test('the subprotocol with the token is not selected', async () => {
  const client = open(`${CONFIGMAPS}?watch=1`);
  await once(client.socket, 'open');
  expect(client.socket.protocol).toBe('base64.binary.k8s.io');
  client.socket.close();
});

test('a watch sends the events of one over plain HTTP', async () => {
  const client = open(`${CONFIGMAPS}?watch=1`);
  await waitUntil('the existing object', () => client.messages.length === 1);
  await api.createConfigMap('two', { text: 'ä'.repeat(40_000) });
  await api.createConfigMap('three', { text: 'x'.repeat(200) });
  await waitUntil('the new objects', () => client.messages.length === 3);
  const plain = await api.get(`${CONFIGMAPS}?watch=1&timeoutSeconds=1`);
  expect(client.messages.map(({ text }) => Buffer.from(text, 'latin1').toString()).toSorted()).toEqual(
    plain.text.split(/(?<=\n)/).toSorted(),
  );
  expect(client.messages.some(({ isBinary }) => isBinary)).toBe(false);
  client.socket.close();
  await once(client.socket, 'close');
});

test('events in protobuf are binary messages', async () => {
  const client = open(`${CONFIGMAPS}?watch=1`, [BEARER, 'v1'], { accept: 'application/vnd.kubernetes.protobuf' });
  await waitUntil('an event', () => client.messages.length > 0);
  expect(client.messages[0]?.isBinary).toBe(true);
  client.socket.close();
});

test('a watch that times out closes normally', async () => {
  const client = open(`${CONFIGMAPS}?watch=1&timeoutSeconds=1`);
  const [code]: number[] = await once(client.socket, 'close');
  expect(code).toBe(1000);
});

/** The token `x` in base64url, which the server does not know. */
const UNKNOWN_BEARER = 'base64url.bearer.authorization.k8s.io.eA';

test.each<[string, string, number, string?]>([
  ['an unknown token', `${CONFIGMAPS}?watch=1`, 401, UNKNOWN_BEARER],
  ['an unknown group', '/apis/nope?watch=1', 404],
  ['an invalid resourceVersion', `${CONFIGMAPS}?watch=1&resourceVersion=abc`, 400],
])('a watch with %s is rejected with an HTTP status', async (_title, path, status, bearer = BEARER) => {
  expect(await open(path, [bearer, 'v1']).rejectionStatus()).toBe(status);
});

/** As recorded from the reference server. */
test.each([
  ['/version', 200],
  ['/nope', 404],
  [CONFIGMAPS, 200],
  [`${CONFIGMAPS}/missing`, 404],
  ['/api/v1/namespaces/default/pods/missing/log', 404],
  ['/openapi/v3', 200],
])('%s does not upgrade to a WebSocket and responds %i', async (path, status) => {
  expect(await open(path, ['v5.channel.k8s.io'], { authorization: `Bearer ${ADMIN}` }).rejectionStatus()).toBe(status);
});

test.each<[string, (socket: WebSocket) => void]>([
  ['breaks the connection', (socket) => socket.terminate()],
  ['sends 100,000 characters', (socket) => socket.send('x'.repeat(100_000))],
])('a watch ends when its client %s', async (_title, disturb) => {
  /** The line of the metric that counts open watches of ConfigMaps; `0` before the first one. */
  const openWatches = async (): Promise<string> =>
    (await api.metrics()).match(/^apiserver_longrunning_requests\{.*configmaps.*$/m)?.[0] ?? '0';
  const client = open(`${CONFIGMAPS}?watch=1`);
  await waitUntil('an event', () => client.messages.length > 0);
  await waitUntil('the watch to be counted', async () => (await openWatches()).endsWith(' 1'));
  disturb(client.socket);
  await once(client.socket, 'close');
  await waitUntil('the watch to end', async () => (await openWatches()).endsWith('0'));
});

test.each([
  ['a body', `POST ${CONFIGMAPS}`, 'Content-Length: 5'],
  ['a handshake without a key', `GET ${CONFIGMAPS}?watch=1`, 'Sec-WebSocket-Version: 13'],
])('an upgrade with %s is rejected at once', async (_, line, header) => {
  const socket = api.openSocket();
  socket.write(requestBytes(line, ['Connection: Upgrade', 'Upgrade: websocket', header]));
  const [frame]: Buffer[] = await once(socket, 'data');
  expect(String(frame)).toMatch(/^HTTP\/1.1 400 /);
  await once(socket, 'end');
  socket.destroy();
});
