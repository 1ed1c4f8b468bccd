/** Connections after changes of their configuration: later requests use the new one, earlier ones complete on the old one. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import type { ClientConfig } from '../kubeconfig/client-config';
import { connectReloadable } from './reloadable-connection';
import { collectBody } from '../rest/json-body';
import { ConnectionError } from './transport';

/** A server that responds with its name, except to `/slow`. */
interface NamedServer {
  readonly server: Server;
  /** Its name is also the token. */
  readonly config: ClientConfig;
  /** The requests of `/slow`, which wait for their response. */
  readonly pending: ServerResponse[];
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function startServer(name: string): Promise<NamedServer> {
  const pending: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/slow') pending.push(response);
    else response.end(name);
  });
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { server, pending, config: { servers: [url], tls: {}, credentials: { type: 'token', token: name } } };
}

/** A connection that is configured for the first of two servers; `replaceConfig` changes it to the second one. */
async function setUp() {
  const clock = new ManualClock();
  const [first, second] = [await startServer('one'), await startServer('other')];
  let config = first.config;
  const connection = connectReloadable(() => config, clock);
  closers.unshift(() => connection.transport.close());
  const get = async (path = '/'): Promise<string> => {
    const { body } = await connection.transport.send({ method: 'GET', path, headers: {} });
    return (await collectBody(body, 1_000)).toString();
  };
  /** A request that the server has received and does not respond to yet. */
  const getSlowly = async ({ server, pending }: NamedServer): Promise<{ readonly response: Promise<string> }> => {
    const received = new Promise((resolve) => server.once('request', resolve));
    const response = get('/slow');
    response.catch(() => undefined);
    await received;
    expect(pending.length).toBe(1);
    return { response };
  };
  return { clock, first, second, connection, get, getSlowly, replaceConfig: () => (config = second.config) };
}

it('connectReloadable uses the server and credentials of the current configuration, and completes requests in flight', async () => {
  const { first, connection, get, getSlowly, replaceConfig } = await setUp();
  expect(await get()).toBe('one');
  expect(await connection.credentials.header()).toBe('Bearer one');
  const { response } = await getSlowly(first);
  replaceConfig();
  expect(await get()).toBe('other');
  expect(await connection.credentials.header()).toBe('Bearer other');
  first.pending[0]?.end('late');
  expect(await response).toBe('late');
});

it('connectReloadable aborts requests of a replaced configuration after 30 s', async () => {
  const { clock, first, get, getSlowly, replaceConfig } = await setUp();
  const { response } = await getSlowly(first);
  replaceConfig();
  expect(await get()).toBe('other');
  clock.advance(30_000);
  await expect(response).rejects.toThrow(ConnectionError);
  expect(await get()).toBe('other');
});

it('connectReloadable aborts requests of the current and replaced configurations when it is closed', async () => {
  const { first, second, connection, getSlowly, replaceConfig } = await setUp();
  const { response: replaced } = await getSlowly(first);
  replaceConfig();
  const { response: current } = await getSlowly(second);
  connection.transport.close();
  await expect(replaced).rejects.toThrow(ConnectionError);
  await expect(current).rejects.toThrow(ConnectionError);
});
