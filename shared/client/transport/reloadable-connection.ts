/**
 * A connection with a replaceable configuration: later requests use the new server and credentials. Requests of the
 * old configuration are aborted after a while, because its credentials may be revoked.
 */
import type { Clock } from '../../runtime/clock';
import type { MaybePromise } from '../../runtime/maybe-promise';
import type { ClientConfig } from '../kubeconfig/client-config';
import { connect, type ClientConnection, type ConnectionSettings } from './connect';
import type { Credentials } from '../kubeconfig/credential-source';
import type { Transport, TransportRequest, TransportResponse } from './transport';

/** Time for the open requests of a connection that has been replaced. */
const DRAIN_MS = 30_000;

/**
 * `config` returns the current configuration, and is called for each request. When it returns another object than
 * before, the connection is replaced. Connects with the first request.
 */
export function connectReloadable(config: () => ClientConfig, clock: Clock, settings: ConnectionSettings = {}): ClientConnection {
  const reloadable = new ReloadableConnection(config, (current) => connect(current, clock, settings), clock);
  return { transport: reloadable, credentials: reloadable };
}

class ReloadableConnection implements Transport, Credentials {
  private current: { readonly config: ClientConfig; readonly connection: ClientConnection } | undefined;
  private readonly draining = new Set<Transport>();

  constructor(
    private readonly config: () => ClientConfig,
    private readonly open: (config: ClientConfig) => ClientConnection,
    private readonly clock: Clock,
  ) {}

  send(request: TransportRequest): Promise<TransportResponse> {
    return this.connection().transport.send(request);
  }

  header(): MaybePromise<string | undefined> {
    return this.connection().credentials.header();
  }

  refreshAfterRejection(): MaybePromise<boolean> {
    return this.connection().credentials.refreshAfterRejection();
  }

  close(): void {
    this.current?.connection.transport.close();
    for (const transport of this.draining) transport.close();
    this.draining.clear();
  }

  private connection(): ClientConnection {
    const config = this.config();
    const { current } = this;
    if (current?.config === config) return current.connection;
    if (current !== undefined) this.drain(current.connection.transport);
    const connection = this.open(config);
    this.current = { config, connection };
    return connection;
  }

  private drain(transport: Transport): void {
    this.draining.add(transport);
    this.clock.after(DRAIN_MS, () => {
      this.draining.delete(transport);
      transport.close();
    });
  }
}
