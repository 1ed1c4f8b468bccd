/** A server that accepts connections, reads what it receives, and never responds. */
import { createServer, type Socket } from 'node:net';
import { listen } from './listen';

export interface SilentServer {
  readonly port: number;
  /** The number of connections accepted so far. */
  accepted(): number;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. `close` also ends the connections. */
export async function startSilentServer(): Promise<SilentServer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.resume();
  });
  return {
    port: await listen(server),
    accepted: () => sockets.length,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
