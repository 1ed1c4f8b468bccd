/** From a kubeconfig that names a webhook to somebody who can be asked. */
import { connect } from '../../shared/client/connect';
import { readKubeconfig } from '../../shared/client/kubeconfig';
import { askWebhook, type WebhookAnswer } from '../../shared/client/webhook';
import type { Clock } from '../../shared/runtime/clock';
import type { Random } from '../../shared/runtime/random';

export interface WebhookParts {
  readonly clock: Clock;
  readonly random: Random;
}

/** All attempts together may take so long: somebody is waiting. */
const WITHIN_MS = 30_000;

/** Throws ConfigError where the file cannot be used. */
export function webhookOf(file: string, timeoutMs: number, { clock, random }: WebhookParts): (body: Buffer) => Promise<WebhookAnswer> {
  const config = readKubeconfig(file);
  const { transport, credentials } = connect({ ...config, http1: true }, clock);
  const [server] = config.servers;
  const options = {
    transport,
    path: server === undefined ? '/' : `${server.pathname}${server.search}`,
    authorization: () => credentials.header(),
    clock,
    timeoutMs,
  };
  return (body) => askWebhook(options, random, WITHIN_MS, body);
}
