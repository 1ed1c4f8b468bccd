/**
 * Measures the duration of synchronous or asynchronous work without making synchronous work asynchronous. What is done
 * with the duration is up to the caller.
 */
import type { Clock } from './clock';
import type { MaybePromise } from './maybe-promise';

/** Whether the work returned or threw. */
export type MeasuredOutcome = 'succeeded' | 'failed';

/** Called exactly once: when the work has returned or thrown, or its promise is resolved or rejected. Times are Clock.monotonic. */
export type OnMeasured = (startedAt: number, endedAt: number, outcome: MeasuredOutcome) => void;

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
  let result: MaybePromise<T>;
  try {
    result = work();
  } catch (error) {
    onMeasured(startedAt, clock.monotonic(), 'failed');
    throw error;
  }
  if (!(result instanceof Promise)) {
    onMeasured(startedAt, clock.monotonic(), 'succeeded');
    return result;
  }
  return result.then(
    (value) => {
      onMeasured(startedAt, clock.monotonic(), 'succeeded');
      return value;
    },
    (error: unknown) => {
      onMeasured(startedAt, clock.monotonic(), 'failed');
      throw error;
    },
  );
}
