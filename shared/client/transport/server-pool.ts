/**
 * Combines several servers of one API into one transport: uses one server until it fails, then the next. A request makes
 * at most as many attempts as there are servers. Waiting and further attempts are left to the REST client.
 */
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from './transport';

/** Owns the transports of its servers and closes them. */
export class ServerPool implements Transport {
  /** The index of the server that requests use. */
  private current = 0;

  constructor(private readonly servers: readonly Transport[]) {}

  async send(request: TransportRequest): Promise<TransportResponse> {
    let failure: unknown = new ConnectionError('there is no server', { wasSent: false });
    for (let tried = 0; tried < this.servers.length; tried += 1) {
      const index = this.current;
      const server = this.servers[index];
      if (server === undefined) break;
      try {
        return await server.send(request);
      } catch (error) {
        if (error instanceof ConnectionError) this.advancePast(index);
        // A request that may have arrived is not retried here: only the caller knows whether that is safe.
        if (!(error instanceof ConnectionError) || error.wasSent) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  close(): void {
    for (const server of this.servers) server.close();
  }

  /** Advances unless another request that failed on the same server has done so already. */
  private advancePast(index: number): void {
    if (this.current === index) this.current = (index + 1) % this.servers.length;
  }
}
