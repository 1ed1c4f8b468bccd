/** Waits for a state of the server that no response announces. */
import { systemClock } from '../../shared/runtime/clock';

/** A minute in all. */
const INTERVAL_MS = 25;
const MAX_ROUNDS = 2400;

/** Checks every 25 ms for up to a minute, then throws an error that names the condition. */
export async function pollUntil(condition: string, isMet: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (await isMet()) return;
    await systemClock.sleep(INTERVAL_MS);
  }
  throw new Error(`timed out waiting until ${condition}`);
}
