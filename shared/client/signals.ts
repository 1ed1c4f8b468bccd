/**
 * Waits that end with an abort signal or a deadline. A wait that ends removes its listener, so a signal that lives as
 * long as the process does not accumulate them.
 */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../runtime/clock';

const unlimitedSignals = new WeakSet<AbortSignal>();

/** A process shares one signal, so many listeners are registered at a time; Node would warn at eleven. */
function onAbort(signal: AbortSignal, listener: () => void): void {
  if (!unlimitedSignals.has(signal)) {
    unlimitedSignals.add(signal);
    setMaxListeners(0, signal);
  }
  signal.addEventListener('abort', listener, { once: true });
}

/**
 * The promise's outcome; rejects with the signal's reason when it is aborted first. The signal must not be aborted before the
 * call.
 */
export async function raceSignal<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    onAbort(signal, stop);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Resolves to true after `ms`, or to false as soon as the signal is aborted. */
export function sleepUnlessAborted(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const stop = (): void => {
      timer.cancel();
      resolve(false);
    };
    const timer = clock.after(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve(true);
    });
    onAbort(signal, stop);
  });
}

/** Resolves when the signal is aborted. */
export function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => onAbort(signal, resolve));
}

/**
 * A signal that is aborted with any of `parents`, or after `ms` with `reason()`. Call `release` when the work is done.
 */
export function withDeadline(
  clock: Clock,
  ms: number,
  reason: () => Error,
  parents: readonly (AbortSignal | undefined)[],
): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const unsubscribers = parents.flatMap((parent) => {
    if (parent === undefined) return [];
    const stop = (): void => controller.abort(parent.reason);
    if (parent.aborted) stop();
    else onAbort(parent, stop);
    return [() => parent.removeEventListener('abort', stop)];
  });
  const timer = clock.after(ms, () => controller.abort(reason()));
  return {
    signal: controller.signal,
    release: () => {
      timer.cancel();
      for (const unsubscribe of unsubscribers) unsubscribe();
    },
  };
}
