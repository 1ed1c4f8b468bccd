/**
 * A server process for bad input, and ways to be a bad client: raw bytes over TLS, heads that never end. Whatever a client sends, the
 * server must go on: that is asserted after each test, and a clean end after the last.
 */
import { readFileSync } from 'node:fs';
import { connect, type TLSSocket } from 'node:tls';
import { ApiClient } from '../../support/api-client';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer } from '../../support/programs';

/** A TLS connection as the administrator; the caller writes what it likes. */
export function rawConnection(client: ApiClient, protocols: string[] = ['http/1.1']): Promise<TLSSocket> {
  const { hostname, port } = new URL(client.address);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ALPNProtocols: protocols, ...client.credentials() }, () =>
      resolve(socket),
    );
    socket.once('error', reject);
  });
}

export interface RawAnswer {
  /** Undefined when the server closed the connection without an answer. */
  readonly status: number | undefined;
  readonly text: string;
}

/** Sends `bytes` and reads until the server closes the connection or has been silent for `quietMs`. */
export async function rawExchange(client: ApiClient, bytes: string | Buffer, quietMs = 1_500): Promise<RawAnswer> {
  const socket = await rawConnection(client);
  return new Promise((resolve) => {
    let text = '';
    const finish = (): void => {
      socket.destroy();
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      resolve({ status: status === undefined ? undefined : Number(status), text });
    };
    socket.setTimeout(quietMs, finish);
    socket.on('data', (chunk: Buffer) => void (text += chunk.toString('latin1')));
    socket.once('error', () => undefined);
    socket.once('close', finish);
    socket.write(bytes);
  });
}

/** Anonymous memory of a process in MB: what it really holds, without files mapped into it. */
export function anonymousMemory(pid: number): number {
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error(`/proc/${pid}/status has no RssAnon`);
  return Number(kilobytes) / 1024;
}

/** Latencies of `count` small requests one after the other, in milliseconds, sorted. */
export async function latencies(client: ApiClient, path: string, count: number): Promise<number[]> {
  const measured: number[] = [];
  for (let n = 0; n < count; n++) {
    const begin = performance.now();
    const { status } = await client.get(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status}`);
    measured.push(performance.now() - begin);
  }
  return measured.sort((a, b) => a - b);
}

export const list = '/api/v1/namespaces/default/configmaps';

export const configMap = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  ...more,
});

export interface Target {
  readonly server: ApiServer;
  readonly client: ApiClient;
  /** Anonymous memory of the server in MB. */
  memory(): number;
}

/** Starts a server for the tests of this file, with one object `calm` that is read to see whether others are disturbed. */
export function hostileTarget(...args: string[]): () => Target {
  const folder = temporaryFolder('hostile');
  let target: Target | undefined;
  const current = (): Target => {
    if (target === undefined) throw new Error('the server is not there yet');
    return target;
  };

  beforeAll(async () => {
    const server = await startApiServer({ folder, securePort: await freePort(), args });
    const client = new ApiClient(server.address, server.certificates);
    target = { server, client, memory: () => anonymousMemory(server.process.pid) };
    expect((await client.send('POST', list, configMap('calm', { data: { a: '1' } }))).status).toBe(201);
  }, 60_000);

  afterEach(async () => {
    const { server, client } = current();
    expect(server.process.running).toBe(true);
    expect((await client.get('/livez')).status).toBe(200);
  });

  afterAll(async () => {
    const { server, client } = current();
    client.close();
    const code = await server.process.stop();
    removeFolder(folder);
    expect(code).toBe(0);
  }, 30_000);

  return current;
}

/** Sends the head of a request a few bytes at a time, and never its end. */
export class SlowClient {
  closedAfterMs: number | undefined;
  private readonly begin = performance.now();
  private readonly drip: NodeJS.Timeout;

  constructor(private readonly socket: TLSSocket) {
    socket.on('error', () => undefined);
    socket.on('data', () => undefined);
    socket.once('close', () => {
      this.closedAfterMs = performance.now() - this.begin;
      this.stop();
    });
    socket.write(`GET ${list} HTTP/1.1\r\nHost: 127.0.0.1\r\n`);
    this.drip = setInterval(() => socket.write('x'), 1_000);
  }

  stop(): void {
    clearInterval(this.drip);
    this.socket.destroy();
  }
}
