/** Connections to backends of this process: pinned addresses, and kept connections. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createAuthority } from '../../../shared/pki/certificates';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { useResource } from '../../../test/support/use-resource';
import { Backends } from './backend';

const backends = new Backends({ clock, credentials: () => ({}), timeoutMs: 5_000 });

/** A server on 127.0.0.1 that responds with the request line and the Host header, and its port. */
const server = useResource(
  async () => {
    const listener = createServer(({ method = '', url = '', headers }, response) =>
      response.end(`${method} ${url} at ${headers.host ?? ''}`),
    );
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port }: AddressInfo = Object(listener.address());
    return { listener, port };
  },
  ({ listener }) => {
    listener.closeAllConnections();
    listener.close();
  },
);

/** Requests `/x` of a backend with this host name, at the port of the server. */
async function get(host: string, pinned: readonly string[]): Promise<string> {
  const url = new URL(`http://${host}:${server().port}`);
  const request = backends.open({ url, trust: 'any', pinned, method: 'GET', headers: {}, path: '/x' });
  request.end();
  const [response]: IncomingMessage[] = await once(request, 'response');
  let text = '';
  for await (const chunk of response ?? []) text += String(chunk);
  return text;
}

describe('A backend with pinned addresses', () => {
  it('is dialed at these addresses, and its host name is not resolved', async () => {
    expect(await get('name.invalid', ['127.0.0.1'])).toBe(`GET /x at name.invalid:${server().port}`);
  });

  it('is dialed at the second address when the first refuses the connection', async () => {
    expect(await get('name.invalid', ['::1', '127.0.0.1'])).toBe(`GET /x at name.invalid:${server().port}`);
  });

  it('is unreachable when the list of addresses is empty', async () => {
    await expect(get('localhost', [])).rejects.toThrow('lookup localhost: no such host');
  });
});

describe('A kept connection to a kubelet', () => {
  it('counts an unrequested upgrade as an open request until it closes', async () => {
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
    expect(second.reusedSocket).toBe(true);
    expect(connections).toBe(1);
    socket.destroy();
    await once(socket, 'close');
    kubelet.close();
    // With a limit of one open request, this would throw if the upgraded one still counted.
    const third = send();
    third.once('error', () => undefined).destroy();
  });
});
