import { createHash } from 'node:crypto';
import { definedOf } from '../../collections/defined-of.ts';
import { isObject } from '../../collections/parse-json.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import { writeIncomingEvent } from '../../events/incoming.ts';
import { isRowRetryable } from '../../marketplace/batch.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { IsoTime } from '../../time/times.ts';
import { type BatchRecord, creationOf, type RejectedRow } from '../model.ts';
import type { BatchTable, RequestArchive } from '../ports.ts';
import { NOT_FOUND_BY_READ_BACK } from '../rules/read-back.ts';

const UNKNOWN_OUTCOME = 'UNKNOWN_OUTCOME';

/** `retryable`: failed rows that may succeed without a change. `failed`: all failed rows. */
export type FailedRowScope = 'retryable' | 'failed';

export interface FailedRow {
  readonly row: Readonly<Record<string, unknown>>;
  readonly rejection: Pick<RejectedRow, 'rowIndex' | 'code' | 'message' | 'details' | 'command'>;
}

export interface RetryBatchPorts {
  readonly batches: Pick<BatchTable, 'get' | 'update'>;
  readonly archive: Pick<RequestArchive, 'get'>;
  /** The product commands queue. Durable when it resolves. */
  readonly productCommands: { send(bodies: readonly string[]): Promise<void> };
  readonly clock: Pick<Clock, 'now'>;
  readonly stores: Pick<StoreTable, 'get'>;
}

/**
 * The failed rows of an ended batch of products, as they were sent and in the same order. Rows of unknown outcome count as failed and
 * retryable: the marketplace refuses a repeated creation (PRD_002).
 *
 * @throws ConnectorError `BATCH_UNKNOWN`; `BATCH_OPEN`; `ROWS_NOT_KEPT` for a batch of another kind, or after the
 * archive's retention
 */
export async function readFailedRows(
  { batches, archive }: Pick<RetryBatchPorts, 'batches' | 'archive'>,
  batchId: string,
  scope: FailedRowScope = 'failed',
): Promise<{ batch: BatchRecord; rows: FailedRow[] }> {
  const batch = await batches.get(batchId);
  if (batch === undefined) throw new ConnectorError(`no batch ${batchId}`, { code: 'BATCH_UNKNOWN' });
  const { state, kind, completedAt, submission: { requestKey } = {} } = batch;
  if (completedAt === undefined) {
    throw new ConnectorError(`batch ${batchId} is ${state}`, { code: 'BATCH_OPEN' });
  }
  const isKept = requestKey !== undefined && creationOf(kind) !== undefined;
  const sent = isKept ? await archive.get(requestKey) : undefined;
  if (sent === undefined) {
    throw new ConnectorError(`the rows of batch ${batchId} are not archived`, { code: 'ROWS_NOT_KEPT' });
  }
  return { batch, rows: failedRowsOf(batch, sent, scope) };
}

function failedRowsOf(
  { rejectedRows, unknownRows = [] }: BatchRecord,
  sent: readonly unknown[],
  scope: FailedRowScope,
): FailedRow[] {
  const unknown = unknownRows.map(
    (row): RejectedRow => ({ ...row, code: UNKNOWN_OUTCOME, message: 'the outcome of the row is unknown' }),
  );
  return [...rejectedRows, ...unknown]
    .filter((row) => scope === 'failed' || isRetryable(row))
    .flatMap(({ rowIndex = -1, code, message, details, command }) => {
      const row = sent[rowIndex];
      return isObject(row)
        ? [{ row, rejection: { rowIndex, ...definedOf({ code, message, details, command }) } }]
        : [];
    })
    .sort((a, b) => a.rejection.rowIndex - b.rejection.rowIndex);
}

function isRetryable(row: RejectedRow): boolean {
  return isRowRetryable(row) || row.code === NOT_FOUND_BY_READ_BACK || row.code === UNKNOWN_OUTCOME;
}

/**
 * Queues the failed rows of a batch as a new command. The new batch names this batch in `retryOf`. A repeated call for the same rows
 * has no further effect. But after the store's waiting work was discarded, it queues the rows again.
 *
 * @throws ConnectorError the errors of `readFailedRows`; `NOTHING_TO_RETRY` if no row is left
 */
export async function retryBatch(
  ports: RetryBatchPorts,
  batchId: string,
  scope: FailedRowScope,
): Promise<{ commandId: string; rows: number }> {
  const { batch, rows } = await readFailedRows(ports, batchId, scope);
  const { kind, storeClientId } = batch;
  const detailType = creationOf(kind)?.detailType;
  if (rows.length === 0 || detailType === undefined || storeClientId === undefined) {
    throw new ConnectorError(`batch ${batchId} has no row to retry`, { code: 'NOTHING_TO_RETRY' });
  }
  const store = await ports.stores.get(storeClientId);
  const commandId = retryIdOf(batchId, rows, store?.discardedAt);
  const detail = { storeClientId, commandId, retryOf: batchId, products: rows.map(({ row }) => row) };
  const event = { id: commandId, time: ports.clock.now(), detailType, detail };
  await ports.productCommands.send([writeIncomingEvent(event)]);
  await ports.batches.update(batchId, (current) => {
    if (current === undefined || current.retries?.includes(commandId)) return undefined;
    return { ...current, retries: [...(current.retries ?? []), commandId] };
  });
  return { commandId, rows: rows.length };
}

const MAX_COMMAND_ID = 200;

/**
 * The ID of the retry's command. It depends on the rows: once a late final summary has settled some rows, a retry of the rest is another
 * command. It also depends on the last discard of the store's waiting work, as the discard may have included an earlier retry. The
 * digest covers the batch's ID too, as the ID may be cut off at the end.
 */
function retryIdOf(batchId: string, rows: readonly FailedRow[], discardedAt?: IsoTime): string {
  const rowIndexes = rows.map(({ rejection }) => rejection.rowIndex);
  const facts = JSON.stringify([batchId, rowIndexes, ...(discardedAt === undefined ? [] : [discardedAt])]);
  const digest = createHash('sha256').update(facts).digest('hex').slice(0, 16);
  // The cut may leave half of a character; `toWellFormed` replaces it.
  return `retry/${digest}/${batchId}`.slice(0, MAX_COMMAND_ID).toWellFormed();
}
