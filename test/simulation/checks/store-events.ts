import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import type { Store, StoreState } from '../../../shared/stores/model.ts';
import type { Simulation } from '../engine/simulation.ts';

const eventOf: Record<StoreState, OutgoingEvent['detailType']> = {
  connected: 'store.connected',
  suspended: 'store.suspended',
  unbound: 'store.unbound',
};

/** The watched Stores table: every change of state must be published at least once. */
export class WatchedStores extends Map<string, Store> {
  /** Called when the names of a store's products change. */
  onRenamed = (_storeClientId: string, _names: Store['names']['products']): void => {};
  readonly #changes: { readonly storeClientId: string; readonly state: StoreState }[] = [];

  override set(storeClientId: string, store: Store): this {
    const before = this.get(storeClientId);
    if (before !== undefined && before.state !== store.state) {
      this.#changes.push({ storeClientId, state: store.state });
    }
    const { products } = store.names;
    if (before !== undefined && before.names.products !== products) this.onRenamed(storeClientId, products);
    return super.set(storeClientId, store);
  }

  /** After quiescence. */
  checkPublished(simulation: Simulation, events: readonly OutgoingEvent[]): void {
    const byChange = Map.groupBy(this.#changes, ({ storeClientId, state }) => `${storeClientId} ${state}`);
    for (const [name, changes] of byChange) {
      const [storeClientId = '', state] = name.split(' ') as [string, StoreState];
      const published = events.filter(
        ({ detailType, detail }) => detailType === eventOf[state] && detail.storeClientId === storeClientId,
      );
      if (published.length >= changes.length) continue;
      simulation.violate(
        `P8: ${storeClientId} was ${state} ${changes.length} times, and ${published.length} events say so`,
      );
    }
  }

  /** Whether every change is published. */
  get isPublished(): boolean {
    return [...this.values()].every(({ unpublishedEvents = [] }) => unpublishedEvents.length === 0);
  }
}
