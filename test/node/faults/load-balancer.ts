/**
 * Forwards TCP connections to the API servers in turn, and to the next one when a server refuses the connection. When
 * all refuse, the client's connection is reset.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listen } from '../../support/servers/listen';

export class LoadBalancer {
  private readonly server: Server;
  private readonly clients = new Set<Socket>();
  private nextIndex = 0;
  /** The ports of the API servers on 127.0.0.1; set by the caller. */
  ports: readonly number[] = [];

  private constructor() {
    this.server = createServer((client) => {
      this.clients.add(client);
      client.on('error', () => undefined);
      client.once('close', () => this.clients.delete(client));
      this.connectBackend(client, this.ports.length);
    });
  }

  /** Listens on all addresses, on the given port. */
  static async start(port: number): Promise<LoadBalancer> {
    const balancer = new LoadBalancer();
    await listen(balancer.server, port, '0.0.0.0');
    return balancer;
  }

  /** Breaks all connections. */
  async close(): Promise<void> {
    for (const client of this.clients) client.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Connects a client to the next API server; `attempts` is the number of servers that are still tried. */
  private connectBackend(client: Socket, attempts: number): void {
    const port = this.ports[this.nextIndex++ % this.ports.length];
    if (attempts === 0 || port === undefined) {
      client.resetAndDestroy();
      return;
    }
    const backend = connect(port, '127.0.0.1');
    const tryNext = (): void => this.connectBackend(client, attempts - 1);
    backend.once('error', tryNext);
    backend.once('connect', () => {
      backend.removeListener('error', tryNext);
      backend.on('error', () => undefined);
      for (const socket of [client, backend]) socket.setNoDelay(true);
      backend.once('close', () => client.destroySoon());
      client.once('close', () => backend.destroySoon());
      client.pipe(backend).pipe(client);
    });
  }
}
