/**
 * Logs when the client certificate of the kubeconfig has expired or is not valid yet, and what to do about it. Without
 * this, responses with the status 401 would be the only sign. Renews nothing, and reads no files: `config` follows the
 * changes of the kubeconfig.
 */
import type { ClientConfig } from '../shared/client/kubeconfig/client-config';
import type { Clock, Timer } from '../shared/runtime/clock';
import type { Logger } from '../shared/runtime/logger';
import { throttle } from '../shared/runtime/throttle';
import { validityError } from '../shared/pki/certificates';

/** The certificate to check, and where problems are logged. */
export interface ClientCertificateCheckOptions {
  /** The current credentials, which follow changed files. */
  readonly config: () => ClientConfig;
  /** The path of the kubeconfig, for messages. */
  readonly kubeconfig: string;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'error'>;
}

/** Reading the dates of a parsed certificate is cheap; a replaced certificate is noticed within this time. */
const CHECK_MS = 10_000;
/** The error stays until the file is replaced, and is repeated no more often than this. */
const LOG_INTERVAL_MS = 600_000;

/** Checks at once, then periodically. Returns a function that ends the checks. */
export function watchClientCertificate({ config, kubeconfig, clock, logger }: ClientCertificateCheckOptions): () => void {
  let timer: Timer | undefined;
  const logError = throttle(clock, LOG_INTERVAL_MS, (error: string) =>
    logger.error(
      `the client certificate of ${kubeconfig} ${error}, so API servers reject the controllers: replace it with a valid one; the file is reloaded without a restart`,
    ),
  );
  const check = (): void => {
    const { cert } = config().tls;
    const error = cert === undefined ? undefined : validityError(cert, clock.now());
    if (error !== undefined) logError(error);
    timer = clock.after(CHECK_MS, check);
  };
  check();
  return () => timer?.cancel();
}
