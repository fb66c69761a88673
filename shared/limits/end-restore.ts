import { freshLimit } from './model.ts';
import type { LimitTable } from './ports.ts';

/** Sends from restored tables again, from now on. Can be repeated. */
export async function endRestore(
  limits: Pick<LimitTable, 'create' | 'change'>,
  /** Of the first item of the limit. */
  limitId: string,
  restoredTables: string,
): Promise<void> {
  await limits.create(freshLimit(limitId));
  await limits.change(limitId, { set: { resumedTables: restoredTables } });
}
