import type { Listing } from '../../../shared/listings/model.ts';
import type { AnsweredBatch } from '../checks/accounts.ts';
import { HeldPrices } from '../checks/held-prices.ts';
import { NewestWins } from '../checks/newest-wins.ts';
import { dueZeros, SendChecks } from '../checks/sends.ts';
import { SharedLimit } from '../checks/shared-limit.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import type { Simulation } from '../engine/simulation.ts';
import { type CatalogStore, drawCatalog } from './catalog.ts';
import type { FunctionsWorld } from './functions.ts';
import { type MarketplaceParts, SimulatedMarketplace } from './marketplace.ts';
import type { MessageQueue } from './message-queue.ts';
import { ATTEMPT_LIFETIME_MS, Network } from './network.ts';
import { PartnerSecret } from './partner-secret.ts';
import { portsOf } from './ports.ts';
import { readSentRows } from './sent-rows.ts';
import { Tables } from './tables.ts';

/** Share of the stores whose prices are guarded. */
const GUARDED_STORES = 0.5;

/** The settings that the connector runs with in one seed. */
export interface WorldSettings {
  readonly itemsPerRequest: number;
  readonly laneRequestsInFlight: number;
  readonly attemptLifetimeMs: number;
  readonly requestTimeoutMs: number;
  readonly batchDeadlineMs: number;
  readonly requestsPerSecond: number;
  readonly requestsInFlight: number;
  /** Items that the limit is divided over. */
  readonly limitItems: number;
  /** Default: the tables are none that were restored. */
  readonly restoredTables?: string | undefined;
}

/** Everything outside the connector's code, with the checks. */
export class World implements FunctionsWorld {
  readonly simulation: Simulation;
  readonly settings: WorldSettings;
  readonly stores: readonly CatalogStore[];
  readonly tables: Tables;
  readonly secret = new PartnerSecret();
  readonly newestWins: NewestWins;
  readonly sends: SendChecks;
  /** The number of invalid rows, by event. */
  readonly badRows = new Map<string, number>();
  readonly answeredBatches = new Map<string, AnsweredBatch>();
  readonly marketplace: SimulatedMarketplace;
  readonly network: Network;

  /** `stores` and `settings` are drawn from the seed when they are not given. */
  constructor(
    simulation: Simulation,
    stores: readonly CatalogStore[] = drawCatalog(simulation.random),
    settings: Partial<WorldSettings> = {},
    parts: MarketplaceParts = {},
  ) {
    this.simulation = simulation;
    this.stores = stores;
    const { random } = simulation;
    const requestsPerSecond = random.pick([1, 5, 5]);
    const requestsInFlight = random.pick([1, 3, 5, 5]);
    this.settings = {
      itemsPerRequest: random.integer(1, 4),
      laneRequestsInFlight: random.integer(1, 4),
      attemptLifetimeMs: ATTEMPT_LIFETIME_MS,
      requestTimeoutMs: 20_000,
      batchDeadlineMs: 900_000,
      requestsPerSecond,
      requestsInFlight,
      // Each item has a permit, and a request per second, at least.
      limitItems: random.pick([1, Math.min(2, requestsPerSecond, requestsInFlight)]),
      ...settings,
    };
    const heldPrices = new HeldPrices(simulation);
    this.tables = new Tables(heldPrices);
    this.newestWins = new NewestWins(simulation);
    this.sends = new SendChecks(simulation, stores, (place) => this.marketplace.accepted.get(place));
    const limit = new SharedLimit(simulation, this.settings);
    const events = {
      onApplied: (place: string, value: number | null) => this.newestWins.onApplied(place, value),
      onBatch: (batch: AnsweredBatch & { readonly batchId: string }) =>
        this.answeredBatches.set(batch.batchId, batch),
    };
    this.marketplace = new SimulatedMarketplace(simulation, this.stores, events, parts);
    this.network = new Network(simulation, {
      marketplace: this.marketplace,
      rowsOf: ({ method, body }) => (method === 'GET' ? [] : readSentRows(body)),
      events: {
        onSent: (exchange) => {
          this.sends.onSent(exchange, this.network.exchanges, this.zerosToSee(exchange.storeClientId));
          heldPrices.onSent(exchange);
          if (!exchange.process.isHeldUp) limit.onSent(this.network.exchanges);
        },
        onLanded: ({ process }, isLate) => {
          if (!isLate && !process.isHeldUp) limit.onLanded();
        },
      },
    });
    this.#connectStores();
    this.#guardPrices();
  }

  portsOf(process: SimulatedProcess, wakeQueue: MessageQueue) {
    return portsOf(this, process, wakeQueue);
  }

  /** Zeros of a lane that are due on every process's clock. */
  zerosToSee(storeClientId: string): Listing[] {
    const { now, maxSkewMs } = this.simulation;
    return dueZeros(this.tables.listings.all(), storeClientId, now - maxSkewMs);
  }

  /** The current listings of targets. */
  listingsOf(storeClientId: string, targets: readonly string[]): Listing[] {
    const isOne = (listing: Listing) =>
      listing.storeClientId === storeClientId && targets.includes(listing.target);
    return this.tables.listings.all().filter(isOne);
  }

  #connectStores(): void {
    const at = new Date(this.simulation.now).toISOString();
    for (const { storeClientId, storeToken, productNames } of this.stores) {
      const store = {
        storeClientId,
        storeToken,
        state: 'connected',
        names: { products: productNames, orders: 'orderId' },
        connectedAt: at,
        updatedAt: at,
      } as const;
      this.tables.stores.set(storeClientId, store);
    }
  }

  /** Some stores have a strict guard. */
  #guardPrices(): void {
    const { random } = this.simulation;
    for (const { storeClientId } of this.stores) {
      if (!random.chance(GUARDED_STORES)) continue;
      const limits = {
        maxListingsPercent: random.pick([0, 30, 60]),
        maxChangePercent: random.pick([0.001, 0.001, 5, 50]),
        windowMinutes: random.integer(1, 5),
      };
      this.tables.guards.replace(storeClientId, { storeClientId, limits }, undefined, {});
    }
  }
}
