/** Work whose time is measured, whether it has to be waited for or not. What is made of that time is somebody else's business. */
import type { Clock } from './clock';
import type { MaybePromise } from './maybe-promise';

/** Told once, however it ended. Times are Clock.monotonic. */
export type OnMeasured = (from: number, until: number, hasFailed: boolean) => void;

/** What was waited for is waited for, and what was there at once still is. */
export function measureTime<T>(clock: Pick<Clock, 'monotonic'>, work: () => Promise<T>, onMeasured: OnMeasured): Promise<T>;
export function measureTime<T>(
  clock: Pick<Clock, 'monotonic'>,
  work: () => Promise<T> | undefined,
  onMeasured: OnMeasured,
): Promise<T> | undefined;
export function measureTime<T>(clock: Pick<Clock, 'monotonic'>, work: () => MaybePromise<T>, onMeasured: OnMeasured): MaybePromise<T>;
export function measureTime<T>(clock: Pick<Clock, 'monotonic'>, work: () => MaybePromise<T>, onMeasured: OnMeasured): MaybePromise<T> {
  const startedAt = clock.monotonic();
  let outcome: MaybePromise<T>;
  try {
    outcome = work();
  } catch (error) {
    onMeasured(startedAt, clock.monotonic(), true);
    throw error;
  }
  if (!(outcome instanceof Promise)) {
    onMeasured(startedAt, clock.monotonic(), false);
    return outcome;
  }
  return outcome.then(
    (value) => {
      onMeasured(startedAt, clock.monotonic(), false);
      return value;
    },
    (error: unknown) => {
      onMeasured(startedAt, clock.monotonic(), true);
      throw error;
    },
  );
}
