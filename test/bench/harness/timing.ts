/** Durations and pauses of the benchmark, and loops over numbers. */

/** Resolves after `ms` milliseconds. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Milliseconds until `work` resolves. */
export async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Runs `work` for the numbers from `from` until before `to`, with `workers` at a time. Rejects with the first failure. */
export async function forEachNumber(
  { from = 0, to, workers }: { readonly from?: number; readonly to: number; readonly workers: number },
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < to) await work(next++);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
