/** A TCP proxy that a test can interrupt: cut connections, refuse new ones, or hold back what the server answers. */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen';

export interface TcpProxy {
  readonly port: number;
  /** Connections accepted so far. */
  readonly accepted: number;
  /** Bytes that the server sent and that were passed on. */
  readonly bytesReturned: number;
  /** Breaks every open connection. */
  cut(): void;
  /** While refusing, new connections are broken at once. */
  refuse(refusing: boolean): void;
  /** Withholds everything that the server sends from now on, on present and new connections, until `false`. */
  mute(muted: boolean): void;
  /** Breaks all connections as soon as the server has sent so many more bytes, which are passed on. */
  cutAfter(bytes: number): void;
  close(): Promise<void>;
}

/** `at`: where it listens; by default on a free port of 127.0.0.1. */
export async function startTcpProxy(target: number, listenAt = { host: '127.0.0.1', port: 0 }): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let accepted = 0;
  let bytesReturned = 0;
  let refusing = false;
  let muted = false;
  let limit = Infinity;

  const cut = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    pairs.clear();
  };
  const server = createServer((client) => {
    if (refusing) {
      client.destroy();
      return;
    }
    accepted++;
    const upstream = connect(target, '127.0.0.1');
    const pair = [client, upstream] as const;
    pairs.add(pair);
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => {
      if (muted) return;
      bytesReturned += chunk.length;
      client.write(chunk);
      if (bytesReturned >= limit) {
        limit = Infinity;
        cut();
      }
    });
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        for (const either of pair) either.destroy();
        pairs.delete(pair);
      });
    }
  });
  return {
    port: await listen(server, listenAt.port, listenAt.host),
    get accepted() {
      return accepted;
    },
    get bytesReturned() {
      return bytesReturned;
    },
    cut,
    refuse: (value) => void (refusing = value),
    mute: (value) => void (muted = value),
    cutAfter: (bytes) => void (limit = bytesReturned + bytes),
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
