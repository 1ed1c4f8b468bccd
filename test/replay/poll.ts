/** Waits for a state of the server that no response announces. */
import { systemClock } from '../../shared/runtime/clock';

const INTERVAL_MS = 25;
/** Without the time that the checks take. */
const TIMEOUT_MS = 60_000;

/** Checks periodically for up to a minute, then throws an error that names the condition. */
export async function pollUntil(condition: string, isMet: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; waitedMs < TIMEOUT_MS; waitedMs += INTERVAL_MS) {
    if (await isMet()) return;
    await systemClock.sleep(INTERVAL_MS);
  }
  throw new Error(`timed out waiting until ${condition}`);
}
