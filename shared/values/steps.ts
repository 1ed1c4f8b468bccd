/**
 * Work that may take long, as a generator that pauses between its steps: one thread serves everyone, so whoever runs it for a client yields to the event loop
 * where a step ends. A step may also wait for something. What the work is, and whether others are waiting, is not known here.
 */

/** Yields after each step: nothing, or what the next step waits for. Returns the result of the work. */
export type Steps<T> = Generator<Promise<void> | undefined, T, undefined>;

/** Waits for a value, unless it is there already. */
export function* arrival<T>(value: T | Promise<T>): Steps<T> {
  if (!(value instanceof Promise)) return value;
  const arrived: T[] = [];
  yield value.then((known) => void arrived.push(known));
  for (const known of arrived) return known;
  throw new Error('a step went on before what it waits for had arrived');
}

/** Called between two steps: undefined = go on, otherwise go on when it resolves. */
export type YieldIfDue = () => Promise<void> | undefined;

/** All steps in one go. None of them may wait. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value !== undefined) throw new Error('a step waits where all have to be done at once');
  }
}

/** One step after the other. The result is there at once unless a step waits or a yield is due. */
export function runSteps<T>(steps: Steps<T>, yieldIfDue: YieldIfDue): T | Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const wait = step.value ?? yieldIfDue();
    if (wait !== undefined) return resumeAfter(wait, steps, yieldIfDue);
  }
}

async function resumeAfter<T>(wait: Promise<void>, steps: Steps<T>, yieldIfDue: YieldIfDue): Promise<T> {
  for (let pending: Promise<void> | undefined = wait; ;) {
    if (pending !== undefined) await pending;
    const step = steps.next();
    if (step.done === true) return step.value;
    pending = step.value ?? yieldIfDue();
  }
}
