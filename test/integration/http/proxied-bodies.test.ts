/** Proxied requests with bodies, sent as raw bytes: what the proxy passes on, and that each request has a response. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { Backends } from '../../../apiserver/endpoints/forward/backend';
import { forward } from '../../../apiserver/endpoints/forward/forward';
import { Outbox } from '../../../apiserver/endpoints/output/outbox';
import { Exchange } from '../../../apiserver/endpoints/request/exchange';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { EventLoopScheduler } from '../../../shared/scheduling/event-loop-scheduler';
import { describeWithEachBackend } from '../../support/servers/echo-backend';
import { waitUntil } from '../../support/programs';
import { closeServer, listen } from '../../support/servers/listen';
import { useClosable, useResource } from '../../support/use-resource';

/** For compiling the backend in Go. */
const BUILD_MS = 300_000;

describeWithEachBackend('a proxied server', (startBackend) => {
  const backend = useClosable(() => startBackend(), BUILD_MS);
  const proxy = useResource(
    async () => {
      const backends = new Backends({ clock, credentials: () => ({}), timeoutMs: 5_000 });
      const parts = { outbox: new Outbox(clock), scheduler: new EventLoopScheduler(clock), clock };
      const url = new URL(`http://127.0.0.1:${backend().port}`);
      const settings = { isUpgrade: false, insecureSkipTlsVerify: false, name: 'p', onLogTlsFailure: () => undefined };
      const destination = { type: 'proxy', url, trust: 'any' } as const;
      const server = createServer((request, response) => {
        const exchange = new Exchange(request, response, parts, { origin: 'secure', naming: 'platform', startedAt: clock.monotonic() });
        exchange.setAuditId('proxied-bodies');
        forward(backends, exchange, { destination, target: request.url ?? '/', ...settings }).catch(() => exchange.abort());
      });
      return { server, port: await listen(server) };
    },
    ({ server }) => closeServer(server),
  );

  async function sendRaw(bytes: string): Promise<string> {
    const socket = connect(proxy().port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.write(bytes);
    await once(socket, 'close');
    return text;
  }

  const METHODS = ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'POST', 'PUT', 'PATCH'];
  const HEAD = 'HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';

  it.each(METHODS)('receives the body of a %s request and responds', async (method) => {
    const responses = [
      await sendRaw(`${method} /stated ${HEAD}Content-Length: 5\r\n\r\nhello`),
      await sendRaw(`${method} /chunked ${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`),
      await sendRaw(`${method} /none ${HEAD}\r\n`),
    ];
    expect(responses).toEqual(Array.from(responses, () => expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n/)));
    await waitUntil('the last request', () => backend().requests.some(({ line }) => line === `${method} /none`));
    expect(backend().requests.splice(0)).toMatchObject([
      { line: `${method} /stated`, length: 5, codings: [], body: 'hello' },
      { line: `${method} /chunked`, length: -1, codings: ['chunked'], body: 'hello' },
      { line: `${method} /none`, codings: [], body: '' },
    ]);
  });

  it('never reads the rest of a truncated body as a request', async () => {
    const socket = connect(proxy().port, '127.0.0.1');
    const arrived = once(proxy().server, 'request');
    socket.write(`GET /broken ${HEAD}Content-Length: 500\r\n\r\nDELETE /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`);
    await arrived;
    socket.destroy();
    await sendRaw(`GET /after ${HEAD}\r\n`);
    await waitUntil('the next request', () => backend().requests.some(({ line }) => line === 'GET /after'));
    expect(
      backend()
        .requests.splice(0)
        .filter(({ line }) => line.includes('smuggled')),
    ).toEqual([]);
  });
});
