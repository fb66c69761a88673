import type { RecordBatchPorts } from '../batches/ports.ts';
import type { PageRequest } from '../collections/page-request.ts';
import type { VersionedTable } from '../collections/versioned-table.ts';
import type { MarketplaceClient } from '../marketplace/client.ts';
import type { LedgerPorts } from '../requests/ports.ts';
import type { EpochMs } from '../time/times.ts';
import type { ActionRecord, OrderRecord } from './model.ts';

export interface OrderTable extends VersionedTable<OrderRecord, [storeClientId: string, orderKey: string]> {
  /** Strongly consistent. */
  get(storeClientId: string, orderKey: string): Promise<OrderRecord | undefined>;
  /**
   * Deletes an order as it was read here, unless it has changed since.
   *
   * @returns whether it is deleted
   */
  remove(order: OrderRecord): Promise<boolean>;
  /**
   * Orders with a decision or dropoff of unknown outcome at `now` (epoch ms), the longest unknown first. Eventually
   * consistent. If a sender was stopped, its orders are listed once their request has ended.
   */
  listUnknown(
    storeClientId: string,
    query: PageRequest & { readonly now: EpochMs },
  ): Promise<{ orders: OrderRecord[]; cursor?: string }>;
  /**
   * Orders for which a decision, a dropoff or a document was requested, the newest request first. Eventually consistent. With a state,
   * only orders whose decision or dropoff has this state; a page may then be short or empty, and have a cursor.
   */
  list(
    storeClientId: string,
    query?: PageRequest & { readonly state?: ActionRecord['state'] | undefined },
  ): Promise<{ orders: OrderRecord[]; cursor?: string }>;
}

/** The ports for the ends of requests about orders. */
export interface OrderEndPorts extends LedgerPorts, RecordBatchPorts {
  readonly orders: OrderTable;
  /** How long a batch may stay open, in milliseconds. */
  readonly batchDeadlineMs: number;
}

export interface OrderPorts extends OrderEndPorts {
  readonly calls: Pick<MarketplaceClient, 'decideOrders' | 'requestDropoffs'>;
  readonly itemsPerRequest: number;
}
