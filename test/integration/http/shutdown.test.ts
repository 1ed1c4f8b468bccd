import { connect as connectHttp2 } from 'node:http2';
import { request, type IncomingMessage } from 'node:http';
import { waitUntil } from '../../support/programs';
import { ADMIN, call, startFixture } from './fixture';

it('goes down in order: not ready at once, serving on, then refusing, watches ended cleanly', async () => {
  const fixture = await startFixture({ shutdownDelayMs: 400 });
  const watch = request({ host: '127.0.0.1', port: fixture.server.localPort, path: '/api/v1/namespaces?watch=1', agent: false });
  watch.end();
  const stream = await new Promise<IncomingMessage>((resolve) => watch.on('response', resolve));
  let ended = false;
  stream.resume();
  stream.on('close', () => (ended = true));

  const down = fixture.stop();
  const notReady = await call(fixture, '/readyz');
  expect([notReady.status, notReady.text]).toEqual([500, expect.stringContaining('[-]shutdown failed: reason withheld')]);
  expect((await call(fixture, '/livez')).text).toBe('ok');
  const served = await call(fixture, '/api/v1/namespaces');
  expect([served.status, served.headers['connection']]).toEqual([200, 'close']);
  expect(ended).toBe(false);
  await down;
  await waitUntil('the end of the watch', () => ended);
  expect(stream.complete).toBe(true);
  await expect(call(fixture, '/readyz')).rejects.toThrow();
}, 30_000);

it('tells HTTP/2 clients to go', async () => {
  const fixture = await startFixture();
  const session = connectHttp2(`https://127.0.0.1:${fixture.server.port}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  const goaway = new Promise<number>((resolve) => session.on('goaway', resolve));
  const stream = session.request({ ':path': '/api/v1/namespaces?watch=1', authorization: `Bearer ${ADMIN}` });
  stream.on('error', () => undefined);
  stream.resume();
  await new Promise((resolve) => stream.on('response', resolve));
  const ended = new Promise((resolve) => stream.on('end', resolve));
  await fixture.stop();
  expect(await goaway).toBe(0);
  await ended;
  session.destroy();
}, 30_000);
