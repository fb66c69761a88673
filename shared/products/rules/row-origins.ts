import type { RowOrigin } from '../../batches/model.ts';
import type { CommandRow } from '../model.ts';
import { identifiersOf } from './identifiers.ts';

/** Where the rows of a request came from, row by row; `undefined` where all are of one command. */
export function originsOf(rows: readonly CommandRow[]): RowOrigin[] | undefined {
  const [first] = rows;
  if (rows.every(({ command }) => command === first?.command)) return undefined;
  return rows.map(({ command: { commandId }, index, product }) => ({
    commandId,
    productIndex: index,
    ...identifiersOf(product),
  }));
}
