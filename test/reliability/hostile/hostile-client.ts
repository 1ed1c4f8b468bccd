/** Ways to be a bad client: raw bytes over TLS, connections that say nothing, and what the server's memory makes of it. */
import { readFileSync } from 'node:fs';
import { connect, type TLSSocket } from 'node:tls';
import { type ApiClient } from '../../support/api-client';

/** A TLS connection as the administrator; the caller writes what it likes. */
export function rawConnection(client: ApiClient, protocols: string[] = ['http/1.1']): Promise<TLSSocket> {
  const { hostname, port } = new URL(client.address);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ALPNProtocols: protocols, ...client.credentials() }, () => resolve(socket));
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
