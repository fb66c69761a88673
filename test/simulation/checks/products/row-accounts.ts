import * as z from 'zod';
import type { BatchRecord, RejectedRow } from '../../../../shared/batches/model.ts';
import type { Rejection } from '../../../../shared/rejections/model.ts';
import type { GivenCreation, GivenRow } from '../../world/products/given-commands.ts';
import type { ProductTables } from '../../world/products/product-tables.ts';
import { unbatched } from '../batch-rejections.ts';

const namedRow = z.looseObject({ name: z.string(), externalId: z.string() });

/** One recorded outcome of a row of a creation. */
export type RowAccount =
  | { readonly outcome: 'rejected before it was sent'; readonly rejection: Rejection }
  | BatchedRow;

export interface BatchedRow {
  readonly outcome: 'accepted' | 'rejected' | 'unknown';
  readonly batch: BatchRecord;
  /** The name of the row. */
  readonly commandId: string;
  readonly rowIndex: number;
  readonly rejected: RejectedRow | undefined;
}

/**
 * All recorded outcomes of each row of a creation, by the name under which it is created; there should be one.
 *
 * @param retryId only the rows of this retry; default: the rows without a retry.
 */
export function accountsByTag(
  { batches, requests }: ProductTables,
  retryId?: string,
): Map<string, BatchedRow[]> {
  const accounts = new Map<string, BatchedRow[]>();
  for (const batch of batches.all()) {
    const { requestKey, kind, retryOf, commandId: ownId } = batch.submission ?? {};
    if (retryId === undefined ? retryOf !== undefined : ownId !== retryId) continue;
    if (requestKey === undefined || kind === 'product-update' || kind === 'product-deletion') continue;
    for (const [rowIndex, row] of (requests.get(requestKey) ?? []).entries()) {
      const { name, externalId } = namedRow.parse(row);
      const known = accounts.get(name) ?? [];
      const commandId = name.slice(0, name.lastIndexOf('/'));
      accounts.set(name, [...known, { ...accountIn(batch, rowIndex, externalId), commandId }]);
    }
  }
  return accounts;
}

function accountIn(batch: BatchRecord, rowIndex: number, externalId: string) {
  const isThis = (row: Pick<RejectedRow, 'rowIndex' | 'externalId'>) =>
    row.rowIndex === rowIndex || (row.rowIndex === undefined && row.externalId === externalId);
  const rejected = batch.rejectedRows.find(isThis);
  const { state, unknownRows = [] } = batch;
  const isUnknown =
    state === 'submitted' || (state === 'unresolved' && unknownRows.some((row) => row.rowIndex === rowIndex));
  const outcome = rejected !== undefined ? 'rejected' : isUnknown ? 'unknown' : 'accepted';
  return { outcome, batch, rowIndex, rejected } as const;
}

/** The rejections of a row that never was in a batch. */
export function rejectionsOf(
  { rejections }: ProductTables,
  { origin, commandId }: GivenCreation,
  { tag, product }: GivenRow,
  importId: string,
): RowAccount[] {
  const index = Number(tag.slice(commandId.length + 1));
  const found = unbatched(rejections).filter((rejection) =>
    origin === 'event'
      ? rejection.commandId === commandId && (rejection.rowIndex ?? index) === index
      : rejection.commandId?.split('/')[0] === importId &&
        (rejection.externalId === product.externalId || rejection.origin?.endsWith(`#${index + 1}`)),
  );
  // A command that was discarded before its plan existed is rejected whole, and its invalid rows individually.
  const own = found.filter(({ rowIndex, origin: place }) => rowIndex !== undefined || place !== undefined);
  return (own.length > 0 ? own : found).map((rejection) => ({
    outcome: 'rejected before it was sent',
    rejection,
  }));
}
