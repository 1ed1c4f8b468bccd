/** The REST client of tests, over real connections. */
import type { ClientConfig } from '../../shared/client/kubeconfig/client-config';
import { RestClient } from '../../shared/client/rest/rest-client';
import { connect, type ConnectionSettings } from '../../shared/client/transport/connect';
import type { Dialect } from '../../shared/names/dialect';
import { systemClock, type Clock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';

export interface ConnectOptions {
  readonly dialect?: Dialect;
  readonly userAgent?: string;
  /** The clock of deadlines and retries. */
  readonly clock?: Clock;
  readonly settings?: ConnectionSettings;
}

/** Does not connect yet. The caller closes the result. */
export function connectClient(
  config: ClientConfig,
  { dialect = 'platform', userAgent = 'test', clock = systemClock, settings }: ConnectOptions = {},
): RestClient {
  return new RestClient({ ...connect(config, clock, settings), dialect, userAgent, clock, random: systemRandom });
}
