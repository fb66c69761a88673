import type { PageRequest } from '../collections/page-request.ts';
import type { HeldPrices, PriceGuard } from './rules/price-guard.ts';

/** The Guards table. */
export interface GuardTable {
  /** Strongly consistent. */
  get(storeClientId: string): Promise<PriceGuard | undefined>;
  /**
   * Applies `change` to the newest guard and stores the result, as one conditional write; calls it again when another
   * writer came between. `change` returns `undefined` to leave the guard as it is.
   */
  update(
    storeClientId: string,
    change: (current: PriceGuard | undefined) => PriceGuard | undefined,
  ): Promise<PriceGuard | undefined>;
  /** The stores whose prices are held, the longest first; may lag behind. */
  listHeld(page?: PageRequest): Promise<{ held: HeldPrices[]; cursor?: string }>;
}
