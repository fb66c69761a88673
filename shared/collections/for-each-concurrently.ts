/**
 * Runs `task` for every item, at most `limit` at a time. One item's failure keeps no other back, as its record may be
 * the only one that is bad; after `limit` failures nothing more is begun. Rejects with one of the failures once what
 * was begun has ended.
 */
export async function forEachConcurrently<T>(
  items: readonly T[],
  limit: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const work = async () => {
    for (const item of queue) await task(item);
  };
  const workers = Array.from({ length: Math.min(limit, items.length) }, work);
  const failure = (await Promise.allSettled(workers)).find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}
