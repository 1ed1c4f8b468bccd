import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import type { ClientConfig } from '../kubeconfig/client-config';
import type { ClientConnection } from './connect';
import { connectReloadable } from './reloadable-connection';
import { collectBody } from '../rest/json-body';
import { ConnectionError } from './transport';

interface Named {
  readonly server: Server;
  readonly config: ClientConfig;
  /** Requests that wait for their answer. */
  readonly waiting: ServerResponse[];
}

let clock: ManualClock;
let servers: Named[];
let present: ClientConfig;
let connection: ClientConnection;

async function start(name: string): Promise<Named> {
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/slow') waiting.push(response);
    else response.end(name);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { server, waiting, config: { servers: [url], tls: {}, credentials: { type: 'token', token: name } } };
}

beforeEach(async () => {
  clock = new ManualClock();
  servers = [await start('one'), await start('other')];
  present = at(0).config;
  connection = connectReloadable(() => present, clock);
});
afterEach(() => {
  connection.transport.close();
  for (const { server } of servers) {
    server.closeAllConnections();
    server.close();
  }
});

function at(index: number): Named {
  const server = servers[index];
  if (server === undefined) throw new Error('there are two');
  return server;
}

async function ask(path = '/'): Promise<string> {
  const { body } = await connection.transport.send({ method: 'GET', path, headers: {} });
  return (await collectBody(body, 1_000)).toString();
}

/** A request that the server has and does not answer yet. */
async function askSlowly({ server, waiting }: Named): Promise<{ readonly answer: Promise<string> }> {
  const received = new Promise((resolve) => server.once('request', resolve));
  const answer = ask('/slow');
  answer.catch(() => undefined);
  await received;
  expect(waiting.length).toBe(1);
  return { answer };
}

it('connectReloadable uses the server and credentials of the current configuration, and completes requests in flight', async () => {
  expect([await ask(), await connection.credentials.header()]).toEqual(['one', 'Bearer one']);
  const { answer } = await askSlowly(at(0));
  present = at(1).config;
  expect([await ask(), await connection.credentials.header()]).toEqual(['other', 'Bearer other']);
  at(0).waiting[0]?.end('late');
  expect(await answer).toBe('late');
});

it('connectReloadable aborts requests of a replaced configuration after 30 s', async () => {
  const { answer } = await askSlowly(at(0));
  present = at(1).config;
  expect(await ask()).toBe('other');
  clock.advance(30_000);
  await expect(answer).rejects.toThrow(ConnectionError);
  expect(await ask()).toBe('other');
});

it('connectReloadable aborts requests of the current and replaced configurations when it is closed', async () => {
  const { answer } = await askSlowly(at(0));
  present = at(1).config;
  const { answer: another } = await askSlowly(at(1));
  connection.transport.close();
  await expect(answer).rejects.toThrow(ConnectionError);
  await expect(another).rejects.toThrow(ConnectionError);
});
