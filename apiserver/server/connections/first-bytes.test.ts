import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { startTlsWithFirstBytes } from './first-bytes';

const HOUR_MS = 3_600_000;

/** `started` resolves with the bytes that the server's own listener reads, `failed` when a connection failed. */
class Fixture {
  readonly server: Server;
  readonly started: Promise<string>;
  readonly failed: Promise<string>;

  constructor(timeoutMs = HOUR_MS) {
    let start = (_bytes: string): void => undefined;
    let fail = (_result: string): void => undefined;
    this.started = new Promise((resolve) => (start = resolve));
    this.failed = new Promise((resolve) => (fail = resolve));
    this.server = createServer((socket) => start(String(socket.read())));
    startTlsWithFirstBytes(this.server, timeoutMs, () => fail('failed'));
  }

  async connect(): Promise<Socket> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const client = connect((this.server.address() as AddressInfo).port, '127.0.0.1');
    await once(client, 'connect');
    return client;
  }

  first(): Promise<string> {
    return Promise.race([this.started, this.failed]);
  }
}

describe('startTlsWithFirstBytes', () => {
  let fixture: Fixture;
  let client: Socket;
  afterEach(() => {
    client.destroy();
    fixture.server.close();
  });

  it('passes a connection to the listener of the server with its first bytes in the socket', async () => {
    fixture = new Fixture();
    client = await fixture.connect();
    client.write('hello');
    expect(await fixture.first()).toBe('hello');
  });

  it('reports and destroys a connection that ends without a byte', async () => {
    fixture = new Fixture();
    client = await fixture.connect();
    client.end();
    expect(await fixture.first()).toBe('failed');
    await once(client, 'close');
  });

  it('reports and destroys a connection that sends no byte in time', async () => {
    fixture = new Fixture(1);
    client = await fixture.connect();
    client.resume();
    expect(await fixture.first()).toBe('failed');
    if (!client.closed) await once(client, 'close');
  });
});
