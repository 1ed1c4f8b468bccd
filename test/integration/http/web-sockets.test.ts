/** Watches over WebSockets, as pages in browsers ask for them: the same events, each a message of its own. */
import { once } from 'node:events';
import { connect } from 'node:tls';
import WebSocket from 'ws';
import { waitUntil } from '../../support/programs';
import { ADMIN } from './call';
import { useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const BEARER = `base64url.bearer.authorization.k8s.io.${Buffer.from(ADMIN).toString('base64url')}`;

const api = useServer();
beforeAll(async () => {
  await api.createConfigMap('one', { a: '1' });
});

interface Heard {
  readonly socket: WebSocket;
  readonly messages: { readonly text: string; readonly isBinary: boolean }[];
}

function open(path: string, protocols: readonly string[] = [BEARER, 'base64.binary.k8s.io'], headers = {}): Heard {
  const address = `wss://127.0.0.1:${api.server.port}${path}`;
  const socket = new WebSocket(address, [...protocols], { rejectUnauthorized: false, headers, origin: 'https://page.example' });
  const messages: Heard['messages'] = [];
  socket.on('message', (data: Buffer, isBinary) => messages.push({ text: data.toString('latin1'), isBinary }));
  return { socket, messages };
}

async function refusal(heard: Heard): Promise<number | undefined> {
  heard.socket.on('error', () => undefined);
  const [, response]: [unknown, { statusCode?: number | undefined }] = await new Promise((resolve) =>
    heard.socket.once('unexpected-response', (request, answer) => resolve([request, answer])),
  );
  heard.socket.terminate();
  return response.statusCode;
}

test('events come as they do over plain HTTP, and the token does not come back', async () => {
  const heard = open(`${CONFIGMAPS}?watch=1`);
  await once(heard.socket, 'open');
  expect(heard.socket.protocol).toBe('base64.binary.k8s.io');
  await waitUntil('the object that is there', () => heard.messages.length === 1);
  await api.createConfigMap('two', { text: 'ä'.repeat(40_000) });
  await api.createConfigMap('three', { text: 'x'.repeat(200) });
  await waitUntil('the new ones', () => heard.messages.length === 3);
  const plain = await api.get(`${CONFIGMAPS}?watch=1&timeoutSeconds=1`);
  expect(heard.messages.map(({ text }) => Buffer.from(text, 'latin1').toString()).toSorted()).toEqual(
    plain.text.split(/(?<=\n)/).toSorted(),
  );
  expect(heard.messages.some(({ isBinary }) => isBinary)).toBe(false);
  heard.socket.close();
  await once(heard.socket, 'close');
});

test('other forms are binary', async () => {
  const heard = open(`${CONFIGMAPS}?watch=1`, [BEARER, 'v1'], { accept: 'application/vnd.kubernetes.protobuf' });
  await waitUntil('an event', () => heard.messages.length > 0);
  expect(heard.messages[0]?.isBinary).toBe(true);
  heard.socket.close();
});

test('the end of a watch is an end in order', async () => {
  const heard = open(`${CONFIGMAPS}?watch=1&timeoutSeconds=1`);
  const [code]: number[] = await once(heard.socket, 'close');
  expect(code).toBe(1000);
});

test('what cannot be watched is said over HTTP', async () => {
  expect(await refusal(open(`${CONFIGMAPS}?watch=1`, ['base64url.bearer.authorization.k8s.io.eA', 'v1']))).toBe(401);
  expect(await refusal(open('/apis/nope?watch=1'))).toBe(404);
  expect(await refusal(open(`${CONFIGMAPS}?watch=1&resourceVersion=abc`))).toBe(400);
  // A list is a list, whatever the header says.
  expect(await refusal(open(CONFIGMAPS))).toBe(200);
});

/** As recorded of the reference: whoever cannot be told in another protocol is told in this one. */
test.each([
  ['/version', 200],
  ['/nope', 404],
  [CONFIGMAPS, 200],
  [`${CONFIGMAPS}/missing`, 404],
  ['/api/v1/namespaces/default/pods/missing/log', 404],
  ['/openapi/v3', 200],
])('%s takes no WebSocket, and says what it says anyway: %i', async (path, status) => {
  expect(await refusal(open(path, ['v5.channel.k8s.io'], { authorization: `Bearer ${ADMIN}` }))).toBe(status);
});

test('a client that goes or talks too much is forgotten', async () => {
  const watching = async (): Promise<string> =>
    (await api.get('/metrics')).text.match(/^apiserver_longrunning_requests\{.*configmaps.*$/m)?.[0] ?? '0';
  for (const leave of [(one: WebSocket) => one.terminate(), (one: WebSocket) => one.send('x'.repeat(100_000))]) {
    const heard = open(`${CONFIGMAPS}?watch=1`);
    heard.socket.on('error', () => undefined);
    await waitUntil('an event', () => heard.messages.length > 0);
    leave(heard.socket);
    await once(heard.socket, 'close');
    await waitUntil('nobody watches', async () => (await watching()).endsWith('0'));
  }
});

test.each([
  ['a body', `POST ${CONFIGMAPS} HTTP/1.1`, 'Content-Length: 5'],
  ['a handshake without a key', `GET ${CONFIGMAPS}?watch=1 HTTP/1.1`, 'Sec-WebSocket-Version: 13'],
])('%s is refused at once', async (_, line, header) => {
  const socket = connect({ host: '127.0.0.1', port: api.server.port, rejectUnauthorized: false });
  socket.write(`${line}\r\nHost: x\r\nAuthorization: Bearer ${ADMIN}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${header}\r\n\r\n`);
  const [answer]: Buffer[] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1.1 400 /);
  await once(socket, 'end');
  socket.destroy();
});
