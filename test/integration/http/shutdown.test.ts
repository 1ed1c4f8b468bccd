/** The steps of a graceful shutdown, and what clients observe of each. */
import { request, type IncomingMessage } from 'node:http';
import { waitUntil } from '../../support/programs';
import { ADMIN } from './api-call';
import { startFixture } from './fixture';
import { openWatch } from './open-watch';

const SHUTDOWN_DELAY_MS = 400;

it('a server that shuts down is live but not ready, and serves requests for the delay', async () => {
  const api = await startFixture({ shutdownDelayMs: SHUTDOWN_DELAY_MS });
  const stopping = api.stop();
  const notReady = await api.get('/readyz');
  expect([notReady.status, notReady.text]).toEqual([500, expect.stringContaining('[-]shutdown failed: reason withheld')]);
  expect((await api.get('/livez')).text).toBe('ok');
  const served = await api.get('/api/v1/namespaces');
  expect([served.status, served.headers['connection']]).toEqual([200, 'close']);
  await stopping;
  await expect(api.get('/readyz')).rejects.toThrow();
}, 30_000);

it('a server that shuts down ends its watches after the delay', async () => {
  const api = await startFixture({ shutdownDelayMs: SHUTDOWN_DELAY_MS });
  const watch = await openWatch(api, '/api/v1/namespaces?watch=1');
  const stopping = api.stop();
  expect((await api.get('/livez')).text).toBe('ok');
  expect(watch.isEnded()).toBe(false);
  await stopping;
  await waitUntil('the end of the watch', watch.isEnded);
  expect(watch.response.complete).toBe(true);
}, 30_000);

it('a server that shuts down sends GOAWAY to HTTP/2 clients', async () => {
  const api = await startFixture();
  const session = api.connectHttp2();
  const goaway = new Promise<number>((resolve) => session.on('goaway', resolve));
  const stream = session.request({ ':path': '/api/v1/namespaces?watch=1', authorization: `Bearer ${ADMIN}` });
  stream.on('error', () => undefined);
  stream.resume();
  await new Promise((resolve) => stream.on('response', resolve));
  const ended = new Promise((resolve) => stream.on('end', resolve));
  await api.stop();
  expect(await goaway).toBe(0);
  await ended;
  session.destroy();
}, 30_000);

it('with sendRetryAfter, requests are rejected with 429 while others are finished, except for health and metrics', async () => {
  const api = await startFixture({ sendRetryAfter: true });
  const path = '/api/v1/namespaces/default/configmaps';
  const body = '{"metadata":{"name":"late"}}';
  const headers = { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' };
  const unfinished = request({ host: '127.0.0.1', port: api.server.localPort, path, method: 'POST', headers, agent: false });
  const continued = new Promise<void>((resolve) => unfinished.once('continue', resolve));
  const lateResponse = new Promise<IncomingMessage>((resolve, reject) => unfinished.on('response', resolve).on('error', reject));
  unfinished.flushHeaders();
  await continued;

  const stopping = api.stop();
  const rejectedHeaders = await waitUntil('requests to be rejected', async () => {
    const response = await api.get(path);
    return response.status === 429 ? response.headers : undefined;
  });
  expect(rejectedHeaders['retry-after']).toBe('5');
  const statuses = ['/metrics', '/metrics/x', '/livez', '/healthz', '/readyz/ping', '/version', '/apis'].map(
    async (other) => [other, (await api.get(other)).status] as const,
  );
  expect(Object.fromEntries(await Promise.all(statuses))).toEqual({
    '/metrics': 200,
    '/metrics/x': 404,
    '/livez': 200,
    '/healthz': 200,
    '/readyz/ping': 200,
    '/version': 429,
    '/apis': 429,
  });
  unfinished.end(body);
  expect((await lateResponse).statusCode).toBe(201);
  await stopping;
}, 30_000);
