import type { PriceGuard } from '../../../shared/guards/rules/price-guard.ts';
import { type Listing, registerEntries } from '../../../shared/listings/model.ts';
import type { VersionedItems } from '../../doubles/versioned-items.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Exchange } from '../world/network.ts';
import { type SentRow, targetOfRow } from '../world/sent-rows.ts';
import { WatchedItems } from '../world/watched-items.ts';

/**
 * Prices that came while their store's prices were held: none of them may leave before they are let go, and what was
 * discarded never.
 */
export class HeldPrices {
  readonly guards: VersionedItems<PriceGuard>;
  readonly listings: VersionedItems<Listing>;
  /** By store: target and price. */
  readonly #held = new Map<string, Set<string>>();
  /** Store, target, register and value. */
  readonly #discarded = new Set<string>();
  readonly #simulation: Simulation;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.guards = new WatchedItems((storeClientId, { hold }) => {
      if (hold === undefined) this.#held.delete(storeClientId);
      else if (!this.#held.has(storeClientId)) this.#held.set(storeClientId, new Set());
    });
    this.listings = new WatchedItems((_, { storeClientId, target, desired, settled }, before) => {
      for (const [register, { code, value, acceptedBefore }] of registerEntries(settled)) {
        // No row goes without a price: where none stood before it, it goes along with a newer special price.
        const mayGoAlong = register === 'price' && acceptedBefore === undefined;
        // A special price that is cleared looks like any other.
        if (code !== 'DISCARDED' || mayGoAlong || value === null) continue;
        this.#discarded.add(`${storeClientId} ${target} ${register} ${value}`);
      }
      const { price } = desired;
      if (price === undefined || price.value === before?.desired.price?.value) return;
      this.#held.get(storeClientId)?.add(`${target} ${price.value}`);
    });
  }

  onSent({ storeClientId, rows, process }: Exchange): void {
    const held = this.#held.get(storeClientId);
    for (const row of rows) {
      const target = targetOfRow(row);
      if (row.price !== undefined && held?.has(`${target} ${row.price}`)) {
        this.#simulation.violate(`the guard holds price ${row.price} of ${target}, and it left`);
      }
      // One that was chosen before its store was held may leave later, where its process hangs.
      if (!process.isHeldUp && this.#isDiscarded(storeClientId, row)) {
        this.#simulation.violate(`a price was discarded and left: ${JSON.stringify(row)}`);
      }
    }
  }

  #isDiscarded(storeClientId: string, row: SentRow): boolean {
    return (['price', 'specialPrice'] as const).some((register) =>
      this.#discarded.has(`${storeClientId} ${targetOfRow(row)} ${register} ${row[register]}`),
    );
  }
}
