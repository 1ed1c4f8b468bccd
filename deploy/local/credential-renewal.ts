/**
 * Renews the credentials of a running local control plane before they expire: checks them every hour and writes those
 * that are due. The programs reload the files by themselves. A failed check is repeated, and reported when its reason is new.
 */
import type { Clock, Timer } from '../../shared/runtime/clock';
import { errorMessage } from '../../shared/runtime/error-message';
import { RUNNING_POLICY } from '../cluster/credentials';
import { ensureCredentials } from './certificates';
import type { CredentialsRequest } from './plan';

/** A certificate becomes due when a fifth of its validity is left, so some failed checks do no harm. */
const CHECK_INTERVAL_MS = 3_600_000;

/** Returns a function that ends the checks. */
export function renewCredentialsPeriodically(request: CredentialsRequest, clock: Clock, print: (line: string) => void): () => void {
  let timer: Timer | undefined;
  let hasEnded = false;
  let lastReason: string | undefined;
  const check = async (): Promise<void> => {
    try {
      const { made } = await ensureCredentials(request, clock, RUNNING_POLICY);
      if (made.length > 0) print(`renewed ${made.join(', ')}`);
      lastReason = undefined;
    } catch (error) {
      const reason = errorMessage(error);
      if (reason !== lastReason) print(`certificates cannot be renewed: ${reason}; this is tried again every hour`);
      lastReason = reason;
    }
    schedule();
  };
  const schedule = (): void => {
    if (!hasEnded) timer = clock.after(CHECK_INTERVAL_MS, () => void check());
  };
  schedule();
  return () => {
    hasEnded = true;
    timer?.cancel();
  };
}
