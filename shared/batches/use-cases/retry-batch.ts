import { ConnectorError } from '../../errors/connector-error.ts';
import type { BatchKind } from '../model.ts';
import type { BatchTable, RetryCommand, RetryQueue } from '../ports.ts';
import type { FailedRowScope } from '../rules/failed-rows.ts';
import { retryIdOf } from '../rules/retry-id.ts';
import { type GiveBackRowsPorts, giveBackRows } from './give-back-rows.ts';

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
