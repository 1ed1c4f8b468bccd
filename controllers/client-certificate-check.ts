/**
 * Says in the log when the certificate with which the controllers come to the API servers is out of its time, and what is to be done: the servers say only that
 * they do not know who it is. Renews nothing; a changed kubeconfig is read by those who follow it.
 */
import type { ClientConfig } from '../shared/client/kubeconfig/client-config';
import type { Clock, Timer } from '../shared/runtime/clock';
import type { Logger } from '../shared/runtime/logger';
import { nowAndThen } from '../shared/runtime/periodic';
import { lifeFault } from '../shared/pki/certificates';

export interface CredentialLifeOptions {
  readonly config: () => ClientConfig;
  readonly kubeconfig: string;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'error'>;
}

const LOOK_MS = 10_000;
const TOLD_EVERY_MS = 600_000;

/** Begins with a look. Returns what ends it. */
export function watchCredentialLife({ config, kubeconfig, clock, logger }: CredentialLifeOptions): () => void {
  let timer: Timer | undefined;
  const tell = nowAndThen(clock, TOLD_EVERY_MS, (fault: string) =>
    logger.error(
      `the client certificate of ${kubeconfig} ${fault}, no API server lets the controllers in: put one there whose time has come; it is read while they run`,
    ),
  );
  const look = (): void => {
    const { cert } = config().tls;
    const fault = cert === undefined ? undefined : lifeFault(cert, clock.now());
    if (fault !== undefined) tell(fault);
    timer = clock.after(LOOK_MS, look);
  };
  look();
  return () => timer?.cancel();
}
