import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import {
  type ForConnectedStorePorts,
  forConnectedStore,
} from '../../commands/use-cases/for-connected-store.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { StoreCredentials } from '../../stores/model.ts';
import type { BatchRecord } from '../model.ts';
import type { BatchTable, RequestArchive } from '../ports.ts';
import { isProductOf, type OpenRow, openRowsOf, type RowSighting, resolutionOf } from '../rules/read-back.ts';
import { withResolution } from '../rules/take-fact.ts';
import { announceBatch } from './announce-batch.ts';

export interface ResolveBatchPorts extends ForConnectedStorePorts {
  readonly batches: Pick<BatchTable, 'update'>;
  readonly requests: Pick<RequestArchive, 'get'>;
  readonly marketplace: Pick<MarketplaceClient, 'getProductBySku'>;
}

/** What a sweep may still spend; shared by the batches that it takes up. */
export interface CallBudget {
  /** Reads that may still be made; a batch that was begun is read whole all the same. */
  calls: number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/** Reads in flight at a time; the limit that all functions share comes on top. */
const CONCURRENCY = 4;
/** No product has this SKU (§4.13). */
const NOT_FOUND = 'PRD_014';

/**
 * Resolves an open batch at its deadline by reading its rows back (design P3): a product that is there was accepted,
 * one that is not was rejected. Rows that can not be read back leave the batch open for a later sweep, unless this is
 * the `lastTry`, which ends it as unresolved.
 *
 * @returns the batch as it then stands
 */
export async function resolveBatch(
  ports: ResolveBatchPorts,
  batch: BatchRecord,
  budget: CallBudget,
  { lastTry }: { readonly lastTry: boolean },
): Promise<BatchRecord> {
  const rows = openRowsOf(batch, await sentRows(ports, batch));
  const sightings = new Map<number, RowSighting>();
  const wasReadWhole = await readBack(ports, batch, rows, budget, sightings);
  if (!wasReadWhole && !lastTry) return batch;
  const resolvedAt = new Date(ports.clock.now()).toISOString();
  const resolution = resolutionOf(batch, rows, sightings, resolvedAt);
  const record = await ports.batches.update(batch.batchId, (current) => withResolution(current, resolution));
  if (record === undefined) throw new RangeError(`batch ${batch.batchId} is not stored`);
  await announceBatch(ports, record);
  return record;
}

/** Rows whose request is not kept any more have no name by which to look for them. */
async function sentRows({ requests }: ResolveBatchPorts, { submission }: BatchRecord): Promise<unknown[]> {
  const { requestKey, sentRows = 0 } = submission ?? {};
  const kept = requestKey === undefined ? undefined : await requests.get(requestKey);
  return kept ?? Array.from({ length: sentRows });
}

/** Whether every row was looked at, as far as it can be; `false` when the marketplace or the store's state stood in the way. */
async function readBack(
  ports: ResolveBatchPorts,
  { storeClientId = '' }: BatchRecord,
  rows: readonly OpenRow[],
  budget: CallBudget,
  sightings: Map<number, RowSighting>,
): Promise<boolean> {
  const readable = rows.filter(({ sku }) => sku !== undefined);
  budget.calls -= readable.length;
  try {
    const done = await forConnectedStore(ports, storeClientId, async (store) => {
      await forEachConcurrently(readable, CONCURRENCY, async (row) => {
        sightings.set(row.rowIndex, await readRow(ports, store, row, budget.signal));
      });
      return true;
    });
    return done ?? false;
  } catch (error) {
    if (error instanceof MarketplaceError || isStoreNotConnected(error)) return false;
    throw error;
  }
}

async function readRow(
  { marketplace }: ResolveBatchPorts,
  store: StoreCredentials,
  row: OpenRow,
  signal: AbortSignal,
): Promise<RowSighting> {
  try {
    const { data } = await marketplace.getProductBySku(store, { sku: row.sku ?? '' }, { signal });
    return isProductOf(row, data) ? 'there' : 'absent';
  } catch (error) {
    if (error instanceof MarketplaceError && error.code === NOT_FOUND) return 'absent';
    throw error;
  }
}

function isStoreNotConnected(error: unknown): boolean {
  return error instanceof ConnectorError && error.code === 'STORE_NOT_CONNECTED';
}
