/**
 * Work that may take long, as a generator that pauses between its steps: one thread serves everyone, so whoever runs it for a client lets others go first
 * where a step ends. What the work is, and whether others are waiting, is not known here.
 */

/** Yields after each step, returns what the work comes to. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** What was to be done in one go takes too long for that: nothing has come of it, and it is to be done where it holds up nobody. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
}

/** Asked between two steps: undefined = go on, otherwise go on when it resolves. */
export type GiveWay = () => Promise<void> | undefined;

/** All steps in one go. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** One step after the other, with a pass between them. */
export async function withPasses<T>(steps: Steps<T>, pass: GiveWay): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const rest = pass();
    if (rest !== undefined) await rest;
  }
}
