/** Connects the REST client to the containers, with the credentials of a kubeconfig. */
import type { ClientConfig } from '../../shared/client/kubeconfig/client-config';
import { connect } from '../../shared/client/transport/connect';
import { RestClient } from '../../shared/client/rest/rest-client';
import type { Transport } from '../../shared/client/transport/transport';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';

export interface ConnectedClient {
  readonly client: RestClient;
  /** The caller closes it. */
  readonly transport: Transport;
}

/** The caller closes the result. */
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
