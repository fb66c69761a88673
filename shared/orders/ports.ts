import type { PageRequest } from '../collections/page-request.ts';
import type { OrderRecord } from './model.ts';

/** The Orders table. */
export interface OrderTable {
  /** Strongly consistent. */
  get(storeClientId: string, orderKey: string): Promise<OrderRecord | undefined>;
  /**
   * Applies `change` to the newest record and stores the result, as one conditional write; calls it again when
   * another writer came between. `change` returns `undefined` to leave the record as it is.
   *
   * @returns the record as it then stands.
   */
  update(
    storeClientId: string,
    orderKey: string,
    change: (current: OrderRecord | undefined) => OrderRecord | undefined,
  ): Promise<OrderRecord | undefined>;
  /**
   * Orders with a decision or dropoff whose outcome was unknown at `now` (epoch ms), longest first. May be a moment
   * behind.
   */
  listUnknown(
    storeClientId: string,
    query: PageRequest & { readonly now: number },
  ): Promise<{ orders: OrderRecord[]; cursor?: string }>;
}
