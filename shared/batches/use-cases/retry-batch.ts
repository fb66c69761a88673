import { ConnectorError } from '../../errors/connector-error.ts';
import { type BatchKind, type BatchRecord, CREATION_KINDS } from '../model.ts';
import type { BatchTable, RequestArchive, RetryCommand, RetryQueue } from '../ports.ts';
import { type FailedRow, type FailedRowScope, failedRowsOf, retryIdOf } from '../rules/failed-rows.ts';

export interface GiveBackRowsPorts {
  readonly batches: Pick<BatchTable, 'get'>;
  readonly requests: Pick<RequestArchive, 'get'>;
}

/**
 * The failed rows of an ended batch of products, as they were sent.
 *
 * @throws ConnectorError `BATCH_UNKNOWN`; `BATCH_OPEN`; `ROWS_NOT_KEPT` for a batch of another kind, or one that is
 * older than the archive keeps anything
 */
export async function giveBackRows(
  { batches, requests }: GiveBackRowsPorts,
  batchId: string,
  scope?: FailedRowScope,
): Promise<{ batch: BatchRecord; rows: FailedRow[] }> {
  const batch = await batches.get(batchId);
  if (batch === undefined) throw refusal('BATCH_UNKNOWN', `no batch ${batchId}`);
  if (batch.completedAt === undefined) throw refusal('BATCH_OPEN', `batch ${batchId} is ${batch.state}`);
  const { kind, submission: { requestKey } = {} } = batch;
  const isKept = requestKey !== undefined && CREATION_KINDS.has(kind);
  const sent = isKept ? await requests.get(requestKey) : undefined;
  if (sent === undefined) throw refusal('ROWS_NOT_KEPT', `the rows of batch ${batchId} are not kept`);
  return { batch, rows: failedRowsOf(batch, sent, scope) };
}

function refusal(code: string, message: string): ConnectorError {
  return new ConnectorError(message, { code });
}

export interface RetryBatchPorts extends GiveBackRowsPorts {
  readonly batches: Pick<BatchTable, 'get' | 'update'>;
  readonly retries: RetryQueue;
  readonly clock: { now(): number };
}

const DETAIL_TYPE_OF: Partial<Record<BatchKind, RetryCommand['detailType']>> = {
  'catalog-sync': 'catalog.sync.requested',
  'catalog-variants-sync': 'catalog.sync.requested',
  'product-create': 'product.create.requested',
  'product-create-variants': 'product.create.requested',
};

/**
 * Gives the failed rows of a batch as a command of their own, whose batch is linked to the old one by `retryOf`.
 * Asking again for the same rows of the same batch has no second effect.
 *
 * @throws ConnectorError as `giveBackRows` does; `NOTHING_TO_RETRY` when no row is left
 */
export async function retryBatch(
  ports: RetryBatchPorts,
  batchId: string,
  scope: FailedRowScope,
): Promise<{ commandId: string; rows: number }> {
  const { batch, rows } = await giveBackRows(ports, batchId, scope);
  const { kind, storeClientId } = batch;
  const detailType = kind && DETAIL_TYPE_OF[kind];
  if (rows.length === 0 || detailType === undefined || storeClientId === undefined) {
    throw new ConnectorError(`batch ${batchId} has no row to try again`, { code: 'NOTHING_TO_RETRY' });
  }
  const commandId = retryIdOf(batchId, scope, rows);
  await ports.retries.send({
    detailType,
    storeClientId,
    commandId,
    time: new Date(ports.clock.now()).toISOString(),
    retryOf: batchId,
    products: rows.map(({ row }) => row),
  });
  await ports.batches.update(batchId, (current) => {
    if (current === undefined || current.retries?.includes(commandId)) return undefined;
    return { ...current, retries: [...(current.retries ?? []), commandId] };
  });
  return { commandId, rows: rows.length };
}
