import type { PriceGuard } from '../../../shared/guards/rules/price-guard.ts';
import { type Listing, registerEntries } from '../../../shared/listings/model.ts';
import type { VersionedItems } from '../../doubles/versioned-items.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Exchange } from '../world/network.ts';
import { type SentRow, targetOfRow } from '../world/sent-rows.ts';
import { WatchedItems } from '../world/watched-items.ts';

/**
 * Prices that arrived while the prices of their store were held: none may be sent before the release, and discarded ones
 * never.
 */
export class HeldPrices {
  readonly guards: VersionedItems<PriceGuard>;
  readonly listings: VersionedItems<Listing>;
  /** Target and price, by store. */
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
        const name = `${storeClientId} ${target} ${register} ${value}`;
        // It was in flight when it was discarded.
        if (code === undefined) this.#discarded.delete(name);
        // A row needs a price: without an earlier one, it is sent along with a newer special price.
        const mayGoAlong = register === 'price' && acceptedBefore === undefined;
        // A cleared special price looks like any other.
        if (code === 'DISCARDED' && !mayGoAlong && value !== null) this.#discarded.add(name);
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
      // A price chosen before the hold may be sent later if its process hangs.
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
