/** Work whose time is measured, whether it has to be waited for or not. What is made of that time is somebody else's business. */
import type { Clock } from './clock';
import type { Eventually } from './maybe-promise';

/** Told once, however it ended. Times are Clock.monotonic. */
export type Told = (from: number, until: number, hasFailed: boolean) => void;

/** What was waited for is waited for, and what was there at once still is. */
export function timed<T>(clock: Pick<Clock, 'monotonic'>, work: () => Promise<T>, told: Told): Promise<T>;
export function timed<T>(clock: Pick<Clock, 'monotonic'>, work: () => Promise<T> | undefined, told: Told): Promise<T> | undefined;
export function timed<T>(clock: Pick<Clock, 'monotonic'>, work: () => Eventually<T>, told: Told): Eventually<T>;
export function timed<T>(clock: Pick<Clock, 'monotonic'>, work: () => Eventually<T>, told: Told): Eventually<T> {
  const from = clock.monotonic();
  let outcome: Eventually<T>;
  try {
    outcome = work();
  } catch (error) {
    told(from, clock.monotonic(), true);
    throw error;
  }
  if (!(outcome instanceof Promise)) {
    told(from, clock.monotonic(), false);
    return outcome;
  }
  return outcome.then(
    (value) => {
      told(from, clock.monotonic(), false);
      return value;
    },
    (error: unknown) => {
      told(from, clock.monotonic(), true);
      throw error;
    },
  );
}
