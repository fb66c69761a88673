import type { PageRequest } from '../collections/page-request.ts';
import type { VersionedTable } from '../collections/versioned-table.ts';
import type { HeldPrices, PriceGuard } from './rules/price-guard.ts';

/** The Guards table. */
export interface GuardTable extends VersionedTable<PriceGuard, [storeClientId: string]> {
  /** Strongly consistent. */
  get(storeClientId: string): Promise<PriceGuard | undefined>;
  /** The stores with held prices, the longest held first. Eventually consistent. */
  listHeld(page?: PageRequest): Promise<{ held: HeldPrices[]; cursor?: string }>;
}
