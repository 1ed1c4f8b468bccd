/**
 * A long computation as a generator that pauses between its steps. Its caller runs it with yields to the event loop in the pauses, or in one go. A step may also wait
 * for a promise. The computation does not know when a yield is due.
 */
import type { Yielder } from './yielding';

/** Yields after each step: nothing, or what the next step waits for. Returns the result. */
export type Steps<T> = Generator<Promise<void> | undefined, T, undefined>;

/** The value, for a step that may have to wait for it. */
export function* awaitInStep<T>(value: T | Promise<T>): Steps<T> {
  if (!(value instanceof Promise)) return value;
  const resolved: T[] = [];
  yield value.then((known) => void resolved.push(known));
  for (const known of resolved) return known;
  throw new Error('a step went on before what it waits for had arrived');
}

/** Runs all steps in one go. None of them may wait. */
export function runStepsSync<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value !== undefined) throw new Error('a step waits where all have to run in one go');
  }
}

/** Runs the steps with yields between them. A promise only if a step waits or a yield is due. */
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
