/** Limits the time that a caller waits for a promise. Cancelling the work itself is left to the caller. */
import type { Clock } from './clock';

/**
 * The result of `work`, or the result of `onTimeout` (which may throw) when `work` has not finished after `ms`. The
 * work is not cancelled; its later result or error is ignored.
 */
export function withTimeout<T, L>(work: Promise<T>, clock: Pick<Clock, 'after'>, ms: number, onTimeout: () => L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => {
      try {
        resolve(onTimeout());
      } catch (error) {
        reject(error);
      }
    });
    const finishWith =
      <V>(complete: (value: V) => void) =>
      (value: V): void => {
        timer.cancel();
        complete(value);
      };
    work.then(finishWith(resolve), finishWith(reject));
  });
}
