/** A TCP proxy that a test can interrupt: cut connections, refuse new ones, or discard what the server sends. */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen';

export interface TcpProxy {
  readonly port: number;
  /** Connections accepted so far. */
  readonly accepted: number;
  /** Breaks every open connection. */
  cut(): void;
  /** Closes new connections at once, until {@link accept} is called. */
  refuse(): void;
  /** Ends {@link refuse}. */
  accept(): void;
  /** Discards everything that the server sends, on open and new connections, until {@link unmute} is called. */
  mute(): void;
  /** Ends {@link mute}. */
  unmute(): void;
  /** Breaks all connections as soon as the server has sent so many more bytes, which are forwarded. */
  cutAfter(bytes: number): void;
  close(): Promise<void>;
}

/** Forwards connections to the port `target` of 127.0.0.1. Listens at `listenAt`, by default on a free port of 127.0.0.1. */
export async function startTcpProxy(target: number, listenAt = { host: '127.0.0.1', port: 0 }): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let accepted = 0;
  /** Bytes of the server that were forwarded so far. */
  let bytesReturned = 0;
  let isRefusing = false;
  let isMuted = false;
  /** The value of `bytesReturned` at which all connections are cut. */
  let cutLimit = Infinity;

  const cut = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    pairs.clear();
  };
  const server = createServer((client) => {
    if (isRefusing) {
      client.destroy();
      return;
    }
    accepted++;
    const upstream = connect(target, '127.0.0.1');
    const pair = [client, upstream] as const;
    pairs.add(pair);
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => {
      if (isMuted) return;
      bytesReturned += chunk.length;
      client.write(chunk);
      if (bytesReturned >= cutLimit) {
        cutLimit = Infinity;
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
    cut,
    refuse: () => void (isRefusing = true),
    accept: () => void (isRefusing = false),
    mute: () => void (isMuted = true),
    unmute: () => void (isMuted = false),
    cutAfter: (bytes) => void (cutLimit = bytesReturned + bytes),
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
