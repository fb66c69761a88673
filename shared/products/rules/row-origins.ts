import type { RowCommand } from '../../batches/model.ts';
import type { CommandRow } from '../model.ts';

/** Where the rows of a request came from, row by row; `undefined` where all are of one command. */
export function originsOf(rows: readonly CommandRow[]): RowCommand[] | undefined {
  const [first] = rows;
  if (rows.every(({ command }) => command === first?.command)) return undefined;
  return rows.map(({ command: { commandId }, index }) => ({ commandId, productIndex: index }));
}
