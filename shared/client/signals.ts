/**
 * Waits that end with an abort signal or a deadline. A wait that ends otherwise removes its listener from the signal, so a
 * signal that lives as long as the process does not accumulate listeners.
 */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../runtime/clock';

/** Signals for which Node's warning about many listeners is turned off. */
const unlimitedSignals = new WeakSet<AbortSignal>();

/** Adds a listener. Many waits of a process share one signal, and Node would warn of a leak at eleven listeners. */
function onAbort(signal: AbortSignal, listener: () => void): void {
  if (!unlimitedSignals.has(signal)) {
    unlimitedSignals.add(signal);
    setMaxListeners(0, signal);
  }
  signal.addEventListener('abort', listener, { once: true });
}

/**
 * Resolves or rejects as `promise` does, or rejects with the signal's reason when the signal is aborted first. The signal must not be
 * aborted before the call.
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

/** Resolves to true after `ms` milliseconds, or to false as soon as the signal is aborted. */
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
 * A signal that is aborted with any of `parents`, with their reason, or after `ms` milliseconds with `reason()`. The
 * caller calls `release` when the work is done, which cancels both.
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
