/** Makes many requests, but only a few of them when the server refuses them all. */

/** The outcome of {@link slowStartBatch}. */
export interface BatchResult {
  readonly succeeded: number;
  /** The first failure; `undefined` when all calls succeeded. The batches after it were skipped: their calls were not made. */
  readonly error: unknown;
}

/**
 * Makes `count` calls in batches of 1, 2, 4, … concurrent calls, and stops after the first batch with a failure: a
 * request that fails once, for example because of a quota, mostly fails again. Sizes and order are those of upstream's
 * slowStartBatch.
 */
export async function slowStartBatch(count: number, call: (index: number) => Promise<unknown>): Promise<BatchResult> {
  let succeeded = 0;
  for (let done = 0, size = 1; done < count; done += size, size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - done) }, (_, index) => call(done + index));
    const outcomes = await Promise.allSettled(batch);
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    succeeded += outcomes.length - failed.length;
    if (failed[0] !== undefined) return { succeeded, error: failed[0].reason };
  }
  return { succeeded, error: undefined };
}
