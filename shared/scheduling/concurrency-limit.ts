/**
 * Calls `task` for each item, with at most `limit` calls in progress. Rejects with the first failure, after which no
 * more tasks are started; tasks in progress are not cancelled.
 */
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
