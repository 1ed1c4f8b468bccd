/** Starts and closes servers of tests. */
import { once } from 'node:events';
import type { Server } from 'node:net';

/** Listens on 127.0.0.1, on any free port by default, and returns the port. */
export async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** Closes an HTTP server and its connections. */
export async function closeServer(server: Server & { closeAllConnections(): void }): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
