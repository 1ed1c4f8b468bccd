/** Measures the duration of synchronous or asynchronous work. */
import type { Clock } from './clock';
import type { MaybePromise } from './maybe-promise';

/** Called exactly once, when the work has succeeded or failed. Times are Clock.monotonic. */
export type OnMeasured = (startedAt: number, endedAt: number, hasFailed: boolean) => void;

/** Returns the result of `work`: a promise only if `work` returns one. */
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
