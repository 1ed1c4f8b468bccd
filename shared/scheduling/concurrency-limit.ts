/** A few at a time: many things to do, of which only so many are under way at once. */

/** Calls `task` for each item. The first failure is the call's, and begins no more; those under way are let go on. */
export async function withConcurrencyLimit<T>(limit: number, items: readonly T[], task: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next++];
      if (item === undefined) continue;
      try {
        await task(item);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
