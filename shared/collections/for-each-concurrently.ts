/** The usual limit. A caller that needs another limit has its own constant. */
export const AT_A_TIME = 10;
/** The usual limit of reads for a person who waits. */
export const READS_AT_A_TIME = 20;

/**
 * Runs `task` for every item, at most `limit` at a time. A failure does not stop other items; after `limit` failures no
 * further item is begun. Rejects with one of the failures, after all running tasks have ended.
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

/** The results of `task` for every item, in the order of the items; otherwise as `forEachConcurrently`. */
export async function mapConcurrently<T, Result>(
  items: readonly T[],
  limit: number,
  task: (item: T) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  await forEachConcurrently([...items.entries()], limit, async ([index, item]) => {
    results[index] = await task(item);
  });
  return results;
}
