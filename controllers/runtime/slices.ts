/** Long work in slices of a few milliseconds, so that leases are renewed and others have their turn meanwhile. */
import type { Clock } from '../../shared/runtime/clock';
import { runSteps, type Steps } from '../../shared/scheduling/steps';

const SLICE_MS = 5;

export async function inSlices<T>(steps: Steps<T>, clock: Pick<Clock, 'monotonic'>): Promise<T> {
  let until = clock.monotonic() + SLICE_MS;
  return runSteps(steps, () => {
    if (clock.monotonic() < until) return undefined;
    return new Promise<void>((resolve) =>
      setImmediate(() => {
        until = clock.monotonic() + SLICE_MS;
        resolve();
      }),
    );
  });
}
