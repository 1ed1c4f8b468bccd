/** The flags about a remote server that reviews tokens, under upstream's names, and what comes of them. */
import { openWebhook } from '../../shared/client/webhook';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';
import type { Random } from '../../shared/runtime/random';
import type { TokenAuthenticator } from '../authentication/authenticator';
import { reviewedTokens } from '../authentication/webhook/authenticator';
import type { ServerFlags } from './flags';

/** A try is made again after half a second and more; whoever waits is answered within the time that upstream takes at most. */
const PATIENCE = { firstMs: 500, longestMs: 10_000, overallMs: 30_000, awaitsServer: false };

export interface TokenWebhook {
  readonly authenticator: TokenAuthenticator;
  close(): void;
}

/** `audiences`: what this server answers to. Throws ConfigError where the file cannot be used. */
export function openTokenWebhook(
  flags: ServerFlags,
  audiences: readonly string[],
  { clock, random, logger }: { readonly clock: Clock; readonly random: Random; readonly logger: Logger },
): TokenWebhook {
  const webhook = openWebhook(flags['authentication-token-webhook-config-file'], PATIENCE, { clock, random });
  const authenticator = reviewedTokens({
    webhook,
    version: flags['authentication-token-webhook-version'],
    dialect: flags.naming,
    audiences,
    ttlMs: flags['authentication-token-webhook-cache-ttl'],
    clock,
    failed: (message, error) => logger.warn(message, { error }),
  });
  return { authenticator, close: () => webhook.close() };
}
