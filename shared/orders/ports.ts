import type { PageRequest } from '../collections/page-request.ts';
import type { VersionedTable } from '../collections/versioned-table.ts';
import type { OrderRecord } from './model.ts';

/** The Orders table. */
export interface OrderTable extends VersionedTable<OrderRecord, [storeClientId: string, orderKey: string]> {
  /** Strongly consistent. */
  get(storeClientId: string, orderKey: string): Promise<OrderRecord | undefined>;
  /**
   * Orders with a decision or dropoff whose outcome was unknown at `now` (epoch ms), longest first. May be a moment
   * behind. If a sender ended without recording an outcome, its orders are listed once its request has its end.
   */
  listUnknown(
    storeClientId: string,
    query: PageRequest & { readonly now: number },
  ): Promise<{ orders: OrderRecord[]; cursor?: string }>;
}
