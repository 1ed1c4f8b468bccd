/**
 * Long computations as generators that pause between their steps. The caller decides whether to yield to the event loop
 * in the pauses or to run all steps synchronously. A step may also wait for a promise.
 */
import type { Yielder } from './yielding';

/** Yields after each step: `undefined`, or a promise that must resolve before the next step. Returns the result. */
export type Steps<T> = Generator<Promise<void> | undefined, T, undefined>;

/** For `yield*`: waits for the value if it is a promise, and returns it. */
export function* awaitInStep<T>(value: T | Promise<T>): Steps<T> {
  if (!(value instanceof Promise)) return value;
  // A list, because the value itself may be `undefined`: while the list is empty there is no value.
  const resolved: T[] = [];
  yield value.then((item) => void resolved.push(item));
  for (const item of resolved) return item;
  throw new Error('a step continued before its awaited value arrived');
}

/** Runs all steps synchronously. Throws when a step waits for a promise. */
export function runStepsSync<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value !== undefined) throw new Error('a step awaits a value where all steps must run synchronously');
  }
}

/** Runs the steps, with yields between them. Returns a promise only if a step waits or a yield is due. */
export function runSteps<T>(steps: Steps<T>, yielder: Yielder): T | Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const wait = step.value ?? yielder.yieldIfDue();
    if (wait !== undefined) return resumeAfter(wait, steps, yielder);
  }
}

async function resumeAfter<T>(wait: Promise<void>, steps: Steps<T>, yielder: Yielder): Promise<T> {
  for (let pending: Promise<void> | undefined = wait; ;) {
    if (pending !== undefined) await pending;
    const step = steps.next();
    if (step.done === true) return step.value;
    pending = step.value ?? yielder.yieldIfDue();
  }
}
