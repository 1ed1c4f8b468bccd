/**
 * Starts TLS on a connection when its first bytes have arrived, and hands them over. Node then reads each later piece of
 * the connection into a buffer of the size of this first one, at least 1 KB; a connection that it reads from the start
 * keeps a buffer of 64 KB as long as it exists. Parses nothing.
 */
import type { Server, Socket } from 'node:net';

type ConnectionListener = (this: Server, socket: Socket) => void;

/**
 * Replaces the listeners of a TLS server for new connections. A connection without a first byte within `timeoutMs`, or
 * that ends without one, is destroyed and reported to `onFailed`.
 */
export function startTlsWithFirstBytes(server: Server, timeoutMs: number, onFailed: () => void): void {
  const listeners = server.listeners('connection').filter(isConnectionListener);
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const fail = (): void => {
      onFailed();
      socket.destroy();
    };
    const start = (): void => {
      socket.off('error', fail).off('timeout', fail).setTimeout(0);
      if (socket.readableLength === 0) fail();
      else for (const listener of listeners) listener.call(server, socket);
    };
    socket.on('error', fail).on('timeout', fail).once('readable', start).setTimeout(timeoutMs);
  });
}

function isConnectionListener(listener: unknown): listener is ConnectionListener {
  return typeof listener === 'function';
}
