import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createAuthority } from '../../../shared/pki/certificates';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { Backends } from './backend';

let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer((request, response) =>
    response.end(`${request.method ?? ''} ${request.url ?? ''} at ${request.headers.host ?? ''}`),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = Object(server.address()) as AddressInfo);
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const backends = new Backends({ clock, credentials: () => ({}), timeoutMs: 5_000 });

async function get(host: string, pinned: readonly string[]): Promise<string> {
  const url = new URL(`http://${host}:${port}`);
  const request = backends.open({ url, trust: 'any', pinned, method: 'GET', headers: {}, path: '/x' });
  request.end();
  const [answer]: IncomingMessage[] = await once(request, 'response');
  let text = '';
  for await (const chunk of answer ?? []) text += String(chunk);
  return text;
}

describe('Backends with pinned addresses', () => {
  it('dials the pinned addresses instead of resolving the host name', async () => {
    expect(await get('name.invalid', ['127.0.0.1'])).toBe(`GET /x at name.invalid:${port}`);
  });

  it('tries the pinned addresses in order', async () => {
    expect(await get('name.invalid', ['::1', '127.0.0.1'])).toBe(`GET /x at name.invalid:${port}`);
  });

  it('fails without resolving the host name when there are no pinned addresses', async () => {
    await expect(get('localhost', [])).rejects.toThrow('lookup localhost: no such host');
  });
});

describe('Backends with kept connections to kubelets', () => {
  it('releases a request that the kubelet answers with an upgrade on a reused connection', async () => {
    const { certificate: cert, key } = await createAuthority({ subject: { commonName: 'node' }, lifetimeMs: 60_000, clock });
    const responses = [
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    ];
    let connections = 0;
    const kubelet = createSecureServer({ cert, key }, (socket) => {
      connections += 1;
      socket.on('error', () => undefined).on('data', () => socket.write(responses.shift() ?? ''));
    });
    kubelet.listen(0, '127.0.0.1');
    await once(kubelet, 'listening');
    const { port: kubeletPort }: AddressInfo = Object(kubelet.address());
    const limited = new Backends({ clock, credentials: () => ({}), timeoutMs: 5_000, limits: { perBackend: 1, total: 1 } });
    const url = new URL(`https://127.0.0.1:${kubeletPort}`);
    const send = () => limited.open({ url, trust: 'kubelet', method: 'GET', headers: {}, path: '/', isRepeatable: true });

    const first = send();
    first.once('response', (message) => message.resume()).end();
    await once(first, 'close');
    const second = send().end();
    const socket = await new Promise<Duplex>((resolve) => second.once('upgrade', (_message, upgraded) => resolve(upgraded)));
    expect([second.reusedSocket, connections]).toEqual([true, 1]);
    socket.destroy();
    await once(socket, 'close');
    kubelet.close();
    expect(() =>
      send()
        .once('error', () => undefined)
        .destroy(),
    ).not.toThrow();
  });
});
