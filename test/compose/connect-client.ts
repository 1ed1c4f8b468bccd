/** Our own client to the containers, or to one of them, as whom the kubeconfig names. */
import type { ClientConfig } from '../../shared/client/kubeconfig/client-config';
import { connect } from '../../shared/client/transport/connect';
import { RestClient } from '../../shared/client/rest/rest-client';
import type { Transport } from '../../shared/client/transport/transport';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';

export interface ConnectedClient {
  readonly client: RestClient;
  /** To be closed by whoever asked for it. */
  readonly transport: Transport;
}

export function connectClient(config: ClientConfig): ConnectedClient {
  const connection = connect(config, systemClock);
  const client = new RestClient({
    ...connection,
    dialect: 'platform',
    userAgent: 'compose-test',
    clock: systemClock,
    random: systemRandom,
  });
  return { client, transport: connection.transport };
}
