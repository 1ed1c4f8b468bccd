/**
 * A server process for hostile input, and clients that send raw bytes over TLS or headers that never end. After each
 * test the server must still run and respond, and after the last one it must exit with 0.
 */
import { connect, type TLSSocket } from 'node:tls';
import { ApiClient } from '../../support/http/api-client';
import { freePort } from '../../support/ports';
import { anonymousMegabytes } from '../../support/process-usage';
import { startApiServer, type ApiServer } from '../../support/programs';
import { useFolder, useResource } from '../../support/use-resource';

/** Opens a TLS connection with the administrator's client certificate, for raw bytes. */
export function openRawConnection(client: ApiClient, protocols: string[] = ['http/1.1']): Promise<TLSSocket> {
  const { hostname, port } = new URL(client.address);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ALPNProtocols: protocols, ...client.credentials() }, () =>
      resolve(socket),
    );
    socket.once('error', reject);
  });
}

export interface RawResponse {
  /** `undefined` when the server closed the connection without a response. */
  readonly status: number | undefined;
  readonly text: string;
}

/** Sends `bytes` and reads until the server closes the connection or has been silent for `quietMs`. */
export async function exchangeRaw(client: ApiClient, bytes: string | Buffer, quietMs = 1_500): Promise<RawResponse> {
  const socket = await openRawConnection(client);
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

/** Latencies of `count` small requests one after the other, in milliseconds, sorted. */
export async function measureLatencies(client: ApiClient, path: string, count: number): Promise<number[]> {
  const latencies: number[] = [];
  for (let n = 0; n < count; n++) {
    const start = performance.now();
    const { status } = await client.get(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status}`);
    latencies.push(performance.now() - start);
  }
  return latencies.sort((a, b) => a - b);
}

export const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

export interface HostileTarget {
  readonly server: ApiServer;
  readonly client: ApiClient;
  /** Anonymous memory of the server. */
  memoryMb(): number;
}

/** Starts a server with these flags for the tests of a file, and creates an object `calm` that well-behaved clients read. */
export function useHostileTarget(...args: string[]): () => HostileTarget {
  const folder = useFolder('hostile');
  const target = useResource(
    async (): Promise<HostileTarget> => {
      const server = await startApiServer({ folder, securePort: await freePort(), args });
      const client = new ApiClient(server.address, server.certificates);
      expect((await client.send('POST', CONFIGMAPS, { metadata: { name: 'calm' }, data: { a: '1' } })).status).toBe(201);
      return { server, client, memoryMb: () => anonymousMegabytes(server.process.pid) };
    },
    async ({ server, client }) => {
      client.close();
      expect(await server.process.stop()).toBe(0);
    },
    60_000,
  );
  afterEach(async () => {
    const { server, client } = target();
    expect(server.process.isRunning).toBe(true);
    expect((await client.get('/livez')).status).toBe(200);
  });
  return target;
}

/** Sends the headers of a request, one byte a second, and never ends them. */
export class SlowHeaderClient {
  /** `undefined` while the connection is open. */
  closedAfterMs: number | undefined;
  private readonly start = performance.now();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly socket: TLSSocket) {
    socket.on('error', () => undefined);
    socket.on('data', () => undefined);
    socket.once('close', () => {
      this.closedAfterMs = performance.now() - this.start;
      this.stop();
    });
    socket.write(`GET ${CONFIGMAPS} HTTP/1.1\r\nHost: 127.0.0.1\r\n`);
    this.timer = setInterval(() => socket.write('x'), 1_000);
  }

  stop(): void {
    clearInterval(this.timer);
    this.socket.destroy();
  }
}
