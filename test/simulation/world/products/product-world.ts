import { NewestWins } from '../../checks/newest-wins.ts';
import { EffectChecks } from '../../checks/products/effects.ts';
import { GivenRetries } from '../../checks/products/given-retries.ts';
import { RequestTimes } from '../../checks/products/request-times.ts';
import { SentRequests } from '../../checks/products/sent-requests.ts';
import { SentRows } from '../../checks/products/sent-rows.ts';
import { SweepBudget } from '../../checks/products/sweep-budget.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { ATTEMPT_LIFETIME_MS, Network } from '../network.ts';
import { PartnerSecret } from '../partner-secret.ts';
import type { WorldSettings } from '../world.ts';
import type { GivenCommand } from './given-commands.ts';
import { drawPlan, type Plan, type PlannedProduct } from './plan.ts';
import { ProductMarketplace } from './product-marketplace.ts';
import { ProductTables } from './product-tables.ts';
import { Shelf } from './shelf.ts';

const MOST_ITEMS = 5;

export interface ProductSettings extends WorldSettings {
  /** The grace period of a batch that can't be read back, after its deadline. */
  readonly graceMs: number;
  /** Reads after which a sweep begins no further batch. */
  readonly callBudget: number;
  /** Milliseconds from one sweep to the next: often, or so rarely that many batches are due at once. */
  readonly sweepIntervalMs: number;
  /** Number of receives after which a product command goes to the dead-letter queue. */
  readonly maxReceives: number;
  /** Milliseconds in which a delivery begins requests: as deployed, or so few that long commands need several. */
  readonly beginRequestsMs: number;
  /** Products per page of a list that is read back. */
  readonly pageSize: number;
}

/** Everything outside the code for product commands, with the checks. */
export class ProductWorld {
  readonly simulation: Simulation;
  readonly settings: ProductSettings;
  readonly plan: Plan;
  /** The partner's commands, by ID. */
  readonly commands = new Map<string, GivenCommand>();
  readonly tables: ProductTables;
  readonly secret = new PartnerSecret();
  readonly effects: EffectChecks;
  readonly newestWins: NewestWins;
  readonly sentRows: SentRows;
  readonly sentRequests: SentRequests;
  /** Whether functions are redeployed with other settings all the time. */
  readonly #changesSettings: boolean;
  readonly retries: GivenRetries;
  readonly requestTimes: RequestTimes;
  readonly sweepBudget: SweepBudget;
  readonly shelf: Shelf;
  readonly marketplace: ProductMarketplace;
  readonly network: Network;

  constructor(simulation: Simulation, draw = drawPlan) {
    this.simulation = simulation;
    const { random } = simulation;
    this.settings = {
      itemsPerRequest: random.integer(1, MOST_ITEMS),
      laneRequestsInFlight: 2,
      attemptLifetimeMs: ATTEMPT_LIFETIME_MS,
      requestTimeoutMs: 20_000,
      batchDeadlineMs: random.pick([60_000, 120_000, 300_000]),
      graceMs: random.pick([60_000, 120_000]),
      callBudget: random.pick([1, 3, 10]),
      sweepIntervalMs: random.pick([60_000, 60_000, 300_000]),
      maxReceives: random.pick([1, 2, 100, 100, 100]),
      beginRequestsMs: random.pick([30_000, 1_000, 0]),
      pageSize: random.integer(1, 5),
      requestsPerSecond: 5,
      limitItems: 1,
      requestsInFlight: random.pick([2, 5]),
    };
    this.#changesSettings = random.chance(0.5);
    this.plan = draw(random);
    this.sentRequests = new SentRequests(simulation);
    this.tables = new ProductTables(simulation, this.sentRequests);
    this.effects = new EffectChecks(simulation, this.commands);
    this.newestWins = new NewestWins(simulation);
    this.sentRows = new SentRows(simulation);
    this.retries = new GivenRetries(simulation);
    this.requestTimes = new RequestTimes(simulation);
    this.sweepBudget = new SweepBudget(simulation, { ...this.settings, itemsPerRequest: MOST_ITEMS });
    this.shelf = new Shelf({
      onCreated: (product, purpose) => this.effects.onCreated(product, purpose),
      onRemoved: (product, commandId) => this.effects.onRemoved(product, commandId),
      onField: (product, field, commandId, before) => this.effects.onField(product, field, commandId, before),
      onOffer: (place, value) => this.newestWins.onApplied(place, value),
    });
    this.marketplace = new ProductMarketplace(simulation, {
      plan: this.plan,
      shelf: this.shelf,
      purposeOf: (request) => this.sentRequests.purposeOf(request),
      deleterOf: (request, id) => this.sentRequests.deleterOf(request, id),
    });
    this.network = new Network(simulation, {
      marketplace: this.marketplace,
      events: {
        onSent: ({ process, request }) => {
          if (request.method === 'GET') this.sweepBudget.onSent(process, request);
          else {
            this.sentRequests.onSent(process, request);
            this.requestTimes.onSent(process, request);
          }
          this.sentRows.onSent(request, this.sentRequests.purposeOf(request));
        },
        onLanded: () => {},
      },
    });
    this.#connectStores();
    for (const product of this.plan.products) this.#plant(product);
  }

  /** The setting in the deployment of a process. */
  drawItemsPerRequest(): number {
    const { random } = this.simulation;
    return this.#changesSettings ? random.integer(1, MOST_ITEMS) : this.settings.itemsPerRequest;
  }

  #connectStores(): void {
    const at = new Date(this.simulation.now).toISOString();
    for (const { storeClientId, storeToken, productNames } of this.plan.stores) {
      this.tables.stores.set(storeClientId, {
        storeClientId,
        storeToken,
        state: 'connected',
        names: { products: productNames, orders: 'orderId' },
        ...(this.simulation.random.chance(0.5) && {
          negativeStock: this.simulation.random.pick(['reject', 'zero'] as const),
        }),
        connectedAt: at,
        updatedAt: at,
      });
    }
  }

  /**
   * The price and stock of a creation are the oldest values of its listing ("How newest wins" in docs/architecture.md).
   */
  #plant({ store, externalId, shape, skus, price, stock, nature }: PlannedProduct): void {
    for (const unit of shape === 'simple' ? [externalId] : skus) {
      this.newestWins.offer(store, unit, 0, { price, stock });
    }
    if (nature !== 'taken') return;
    const items = skus.map((sku) => ({ sku, price, stock }));
    const row = { externalId, name: 'another partner' };
    if (shape === 'variants') this.shelf.create(store, { ...row, variants: { items } });
    else this.shelf.create(store, { ...row, price, stock, ...(skus[0] !== undefined && { sku: skus[0] }) });
  }
}
