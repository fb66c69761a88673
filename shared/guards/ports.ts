import type { VersionedTable } from '../collections/versioned-table.ts';
import type { PriceGuard } from './rules/price-guard.ts';

/** The Guards table. */
export interface GuardTable extends VersionedTable<PriceGuard, [storeClientId: string]> {
  /** Strongly consistent. */
  get(storeClientId: string): Promise<PriceGuard | undefined>;
}
