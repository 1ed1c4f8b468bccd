/**
 * A connection whose configuration may be exchanged while it is used: what is asked next goes where it says then, as whom it says then. What is under way has a
 * while to end, and is cut off after that: whoever was somebody else must not stay so.
 */
import type { Clock } from '../../runtime/clock';
import type { MaybePromise } from '../../runtime/maybe-promise';
import type { ClientConfig } from '../kubeconfig/client-config';
import { connect, type ClientConnection, type ConnectionSettings } from './connect';
import type { Credentials } from '../kubeconfig/credential-source';
import type { Transport, TransportRequest, TransportResponse } from './transport';

const LEAVING_MS = 30_000;

/** Makes no connection yet. `config` = the one in use; another object = another configuration. */
export function connectFollowed(config: () => ClientConfig, clock: Clock, settings: ConnectionSettings = {}): ClientConnection {
  const followed = new FollowedConnection(config, (present) => connect(present, clock, settings), clock);
  return { transport: followed, credentials: followed };
}

class FollowedConnection implements Transport, Credentials {
  private present: { readonly config: ClientConfig; readonly connection: ClientConnection } | undefined;
  private readonly leaving = new Set<Transport>();

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

  refused(): MaybePromise<boolean> {
    return this.connection().credentials.refused();
  }

  close(): void {
    this.present?.connection.transport.close();
    for (const transport of this.leaving) transport.close();
    this.leaving.clear();
  }

  private connection(): ClientConnection {
    const config = this.config();
    const { present } = this;
    if (present?.config === config) return present.connection;
    if (present !== undefined) this.retire(present.connection.transport);
    const connection = this.open(config);
    this.present = { config, connection };
    return connection;
  }

  private retire(transport: Transport): void {
    this.leaving.add(transport);
    this.clock.after(LEAVING_MS, () => {
      this.leaving.delete(transport);
      transport.close();
    });
  }
}
