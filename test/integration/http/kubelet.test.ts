/** Logs, streams and proxies to a fake kubelet: the requests that it receives, and the responses of the API server. */
import { once } from 'node:events';
import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';
import { requestBytes } from './api-call';
import { issueClientCertificate, tlsPairOf, issueServerCertificate } from './issue-certificates';
import { setKubeletPort, POD, useKubelet, useKubeletServer } from './kubelet-fixture';

/** The requests that the fake kubelet received. */
const kubeletRequests: { readonly line: string; readonly headers: Readonly<Record<string, unknown>>; readonly isAuthorized: boolean }[] =
  [];

/**
 * The option `tailLines` of a log selects the response: a number of three digits is its status, and 9 breaks it off. A
 * followed log stays open, and the body of a POST is sent back.
 */
function serveKubeletRequests(server: Server): void {
  server.on('request', (request, response) => {
    const { url = '', method = '', headers } = request;
    kubeletRequests.push({
      line: `${method} ${url}`,
      headers,
      isAuthorized: 'authorized' in request.socket && request.socket.authorized === true,
    });
    const status = Number(/tailLines=(\d{3})/.exec(url)?.[1] ?? 200);
    const location = status === 302 ? { location: 'https://other.example/' } : {};
    response.writeHead(status, { 'content-type': 'text/plain', 'x-own': '1', ...location });
    if (url.includes('tailLines=9')) response.write('last\n', () => response.destroy());
    else if (url.includes('follow')) response.write('first\n');
    else if (method === 'POST') request.pipe(response);
    else response.end('said');
  });
  server.on('upgrade', (request, socket: Duplex) => {
    const { url = '', method = '', headers } = request;
    kubeletRequests.push({ line: `UPGRADE ${method} ${url}`, headers, isAuthorized: false });
    socket.on('error', () => undefined);
    if (url.includes('refuse')) {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nnope');
      return;
    }
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nhello');
    socket.on('data', (data: Buffer) => socket.write(data.toString().toUpperCase()));
    socket.on('end', () => socket.end());
  });
}

/** For connections to kubelets; complete once the server has started: its authority issues them. */
const credentials: { ca?: Buffer; cert?: Buffer; key?: Buffer } = {};
const api = useKubeletServer(() => credentials);
const kubelet = useKubelet(api, serveKubeletRequests, () => ({
  ca: api.authority.certificate,
  requestCert: true,
  rejectUnauthorized: false,
}));
beforeAll(async () => {
  Object.assign(credentials, {
    ca: Buffer.from(api.authority.certificate),
    ...tlsPairOf(await issueClientCertificate(api.authority, 'kubelet', [])),
  });
});
beforeEach(() => void kubeletRequests.splice(0));

test('a log is requested with the options that kubelets know and the client certificate of the server', async () => {
  const response = await api.get(
    `${POD}/log?container=c&timestamps=1&previous=0&tailLines=5&sinceSeconds=9&limitBytes=100&pretty=1&other=2`,
  );
  expect(response).toMatchObject({ status: 200, text: 'said', headers: { 'content-type': 'text/plain' } });
  expect(kubeletRequests).toMatchObject([
    { line: 'GET /containerLogs/default/p/c?limitBytes=100&sinceSeconds=9&tailLines=5&timestamps=true', isAuthorized: true },
  ]);
  expect(kubeletRequests[0]?.headers).not.toHaveProperty('authorization');
});

test('a followed log is sent as it is written, and ends with its client', async () => {
  const socket = api.openSocket();
  const [kubeletRequest]: [{ socket: Duplex }] = await new Promise((resolve) => {
    kubelet().once('request', (request) => resolve([request]));
    socket.write(requestBytes(`GET ${POD}/log?follow=1`));
  });
  let text = '';
  while (!text.includes('first\n')) text += String((await once(socket, 'data'))[0]);
  socket.destroy();
  await once(kubeletRequest.socket, 'close');
});

test.each([
  [500, 500, 'Internal error occurred: said'],
  [400, 400, 'said'],
  [404, 404, 'the server could not find the requested resource ( pods/log p)'],
  [403, 403, 'said ( pods/log p)'],
  [418, 418, 'the server responded with the status code 418 but did not return more information ( pods/log p)'],
  [502, 502, 'an error on the server ("said") has prevented the request from succeeding ( pods/log p)'],
  [302, 500, 'Get "https://other.example/": redirects forbidden'],
])('a request for a log to which the kubelet responds %i gets %i', async (status, code, message) => {
  expect((await api.get(`${POD}/log?tailLines=${status}`)).refusal).toEqual([code, message]);
});

test.each([
  ['tailLines=-1', 'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0'],
  [
    'sinceTime=2026-01-01T00:00:00Z&sinceSeconds=1',
    'PodLogOptions "p" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
  ],
])('a log with %s is rejected without a request to the kubelet', async (query, message) => {
  const response = await api.get(`${POD}/log?${query}`);
  expect([response.status, response.message, kubeletRequests]).toEqual([422, message, []]);
});

async function openUpgrade(path: string, ...more: readonly string[]): Promise<{ readonly text: () => string; readonly socket: Duplex }> {
  const socket = api.openSocket();
  let text = '';
  socket.on('data', (data: Buffer) => (text += data.toString()));
  socket.write(requestBytes(`POST ${path}`, ['Connection: Upgrade', 'Upgrade: SPDY/3.1', 'Content-Length: 0', ...more]));
  await once(socket, 'data');
  return { text: () => text, socket };
}

test('a command is connected with the client in both directions', async () => {
  const protocols = 'Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.eA, v4.channel.k8s.io';
  const { text, socket } = await openUpgrade(`${POD}/exec?command=ls&command=-l&stdin=true&stdout=1&tty=false`, protocols);
  while (!text().includes('hello')) await once(socket, 'data');
  expect(text()).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY\/3.1\r\n\r\nhello$/);
  socket.write('typed');
  await once(socket, 'data');
  expect(text()).toMatch(/TYPED$/);
  expect(kubeletRequests[0]).toMatchObject({
    line: 'UPGRADE POST /exec/default/p/c?command=ls&command=-l&input=1&output=1',
    headers: { upgrade: 'SPDY/3.1', 'x-forwarded-for': '127.0.0.1', 'sec-websocket-protocol': 'v4.channel.k8s.io' },
  });
  expect(kubeletRequests[0]?.headers).not.toHaveProperty('authorization');
  socket.end();
  await once(socket, 'close');
});

test.each([
  ['attach?stdout=1', 'UPGRADE POST /attach/default/p/c?output=1'],
  ['portforward', 'UPGRADE POST /portForward/default/p'],
])('%s reaches the kubelet as %s', async (path, line) => {
  const { text, socket } = await openUpgrade(`${POD}/${path}`);
  expect(text()).toMatch(/^HTTP\/1.1 101 /);
  expect(kubeletRequests[0]?.line).toBe(line);
  socket.destroy();
});

test('a log that the kubelet breaks off ends normally, as recorded of the reference server', async () => {
  expect(await api.get(`${POD}/log?follow=true&tailLines=9`)).toMatchObject({ status: 200, text: 'last\n' });
});

test('the response of a kubelet that rejects a command is passed on', async () => {
  const { text, socket } = await openUpgrade(`${POD}/exec?command=refuse&stdout=1`);
  await once(socket, 'end');
  expect(text()).toMatch(/^HTTP\/1.1 403 Forbidden[^]*\r\n\r\n.*nope/);
});

const ESCAPED_SLASH = 'the path of a proxied request must not contain an escaped slash before the subresource';
test.each([
  ['/api/v1/nodes/n/proxy/healthz', 'address not allowed'],
  ['/api/v1/nodes/n/proxy/a/b/', 'address not allowed'],
  ['/api/v1/nodes/n/proxy/a%2Fb%20c/%C3%A9//', 'address not allowed'],
  ['/api/v1/nodes/n/proxy?x=/y', 'address not allowed'],
  ['/api/v1/nodes/n%2Fproxy%2Fx/a/b', ESCAPED_SLASH],
  ['/api/v1/nodes/n%2fproxy/a', ESCAPED_SLASH],
  ['http://host/api/v1/nodes/n/proxy/a', ESCAPED_SLASH],
])('the proxy request %s to an address of the server itself is rejected: %s', async (path, message) => {
  expect((await api.get(path)).refusal).toEqual([400, message]);
});

test('a request for a log fails and is counted when the kubelet is not trusted, unless the client skips the check', async () => {
  kubelet().setSecureContext(tlsPairOf(await issueServerCertificate(api.authority, ['elsewhere.example'])));
  const tlsFailureCount = async (): Promise<string | undefined> =>
    /kube_apiserver_pod_logs_backend_tls_failure_total (\d+)/.exec((await api.get('/metrics')).text)?.[1];
  expect(await tlsFailureCount()).toBe('0');
  const untrusted = await api.get(`${POD}/log`);
  expect(await tlsFailureCount()).toBe('1');
  expect(untrusted.status).toBe(500);
  expect(untrusted.message).toMatch(/^Get "https:.*: tls: failed to verify certificate: x509: /);
  expect(await api.get(`${POD}/log?insecureSkipTLSVerifyBackend=true`)).toMatchObject({ status: 200 });
});

test('a request for a log fails when the kubelet cannot be reached', async () => {
  await setKubeletPort(api, 1);
  const unreachable = await api.get(`${POD}/log`);
  expect([unreachable.status, unreachable.message]).toEqual([
    500,
    'Get "https://127.0.0.1:1/containerLogs/default/p/c": dial tcp 127.0.0.1:1: connect: connection refused',
  ]);
});
