import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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
