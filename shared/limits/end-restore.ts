import { freshLimit } from './model.ts';
import type { LimitTable } from './ports.ts';

/** Allows sending from restored tables again. May be repeated. */
export async function endRestore(
  limits: Pick<LimitTable, 'create' | 'change'>,
  /** ID of the limit's first item. */
  limitId: string,
  restoredTables: string,
): Promise<void> {
  await limits.create(freshLimit(limitId));
  await limits.change(limitId, { set: { resumedTables: restoredTables } });
}
