import { freshLimit, type LimitTable } from './model.ts';

/** Sends from restored tables again, from now on. Can be repeated. */
export async function endRestore(
  limits: Pick<LimitTable, 'get' | 'create' | 'change'>,
  /** Of the first item of the limit. */
  limitId: string,
  restoredTables: string,
): Promise<void> {
  if ((await limits.get(limitId)) === undefined) await limits.create(freshLimit(limitId));
  await limits.change(limitId, { set: { resumedTables: restoredTables } });
}
