/** Waiting no longer than so long. */
import type { Clock } from './clock';

/** What `work` comes to, or, when it is not over after `ms`, what `late` says, which may throw. The work goes on; nobody hears of it any more. */
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
