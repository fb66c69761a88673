import type { PartnerValues } from '../checks/newest-wins.ts';
import type { Random } from '../engine/random.ts';
import { type CatalogStore, type CatalogTarget, FIRST_REFUSED_PRICE, UNKNOWN_WAREHOUSE } from './catalog.ts';
import type { MessageQueue } from './message-queue.ts';
import { rowNameOf } from './sent-rows.ts';
import type { World } from './world.ts';

/** Versions that compete for one target: few, so that there are ties. */
const INTEGER_VERSIONS = 12;
/** The start of falling values: far from 0 and from refused prices. */
const HIGHEST_VALUE = 100_000;
/** Milliseconds between the claimed times of two events. */
const TIME_GRAIN_MS = 2_000;

/** Items that are invalid in every event. */
const BAD_ITEMS = [
  { sku: 'BAD', stock: -1, price: -1 },
  { sku: 'BAD', id: '7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d5e6f', stock: 1, price: 1 },
  { sku: 'B'.repeat(1100), stock: 1, price: 1 },
  { stock: 1, price: 1 },
] as const;

/** The partner's systems: they send changes out of order, more than once, and with competing versions. */
export class Partner {
  /** Events that were sent, without their duplicates. */
  eventCount = 0;
  readonly #world: World;
  readonly #changes: MessageQueue;
  /** Part of the events with a row by another name than the store uses. */
  readonly #misnamed: number;
  /** Part of the stock by warehouse that also names one that the store does not have. */
  readonly #misplaced: number;
  readonly #valueStep: 1 | -1;
  #lastValue: number;

  constructor(world: World, changes: MessageQueue, { misnamed = 0.1, misplaced = 0.1 } = {}) {
    this.#world = world;
    this.#changes = changes;
    this.#misnamed = misnamed;
    this.#misplaced = misplaced;
    this.#valueStep = world.simulation.random.pick([1, -1]);
    this.#lastValue = this.#valueStep > 0 ? 0 : HIGHEST_VALUE;
  }

  /** Sends `count` events over `spanMs`, in bursts and lulls. */
  start(count: number, spanMs: number): void {
    const { random, scheduler } = this.#world.simulation;
    const bursts = Array.from({ length: random.integer(1, 6) }, () => random.integer(0, spanMs));
    for (let index = 0; index < count; index += 1) {
      const base = random.chance(0.6) ? random.pick(bursts) : random.integer(0, spanMs);
      scheduler.after(base + random.integer(0, 500), () => this.send(this.#newEvent()));
    }
  }

  /** Events of the past, which are not sent. Their bad rows are not counted: each is rejected as often as its event is sent. */
  past(count: number): object[] {
    const first = this.eventCount;
    const events = Array.from({ length: count }, () => this.#newEvent());
    for (let index = first; index < this.eventCount; index += 1) this.#world.badRows.delete(`event-${index}`);
    return events;
  }

  #newEvent(): object {
    const { random } = this.#world.simulation;
    const store = random.pick(this.#world.stores);
    const versionKind = random.pick(store.targets).versionKind;
    const targets = store.targets.filter((target) => target.versionKind === versionKind);
    const named = random.shuffle(targets).slice(0, random.integer(1, targets.length));
    const version = this.#drawVersion(versionKind);
    // Prices have no externalId (§4.8).
    const isPrice = random.chance(0.35) && store.productNames !== 'externalId';
    const items: object[] = named.map((target) => {
      const values = isPrice ? this.#drawPrice(random) : this.#drawStock(random, store);
      this.#world.newestWins.offer(store, target.target, version, values);
      return { ...rowNameOf(written(random, target.target)), ...itemOf(random, values) };
    });
    const { storeClientId } = store;
    const bad: object[] = random.chance(0.1) ? [random.pick(BAD_ITEMS)] : [];
    if (random.chance(this.#misnamed)) {
      const values = isPrice ? this.#drawPrice(random) : this.#drawStock(random, store);
      bad.push({ ...rowNameOf(random.pick(targets).otherNames[0]), ...itemOf(random, values) });
    }
    const id = `event-${this.eventCount}`;
    this.#world.badRows.set(id, bad.length);
    items.splice(random.integer(0, items.length), 0, ...bad);
    const detail = { storeClientId, [versionKind === 'time' ? 'occurredAt' : 'version']: version, items };
    this.eventCount += 1;
    return { id, 'detail-type': isPrice ? 'price.changed' : 'stock.changed', detail };
  }

  send(event: object): void {
    const { simulation } = this.#world;
    const body = JSON.stringify(event);
    simulation.note('partner', () => body);
    this.#changes.send(body);
    if (simulation.faults.strikes('message delivered twice')) this.#changes.send(body);
  }

  #drawVersion(kind: CatalogTarget['versionKind']): number {
    const { random, now } = this.#world.simulation;
    if (kind === 'integer') return random.integer(1, INTEGER_VERSIONS);
    const grains = Math.floor(now / TIME_GRAIN_MS) - random.integer(0, 10);
    return grains * TIME_GRAIN_MS;
  }

  #drawPrice(random: Random): PartnerValues {
    const price = this.#newValue() + (random.chance(0.05) ? FIRST_REFUSED_PRICE : 0);
    if (random.chance(0.4)) return { price };
    return { price, specialPrice: random.chance(0.3) ? null : this.#newValue() };
  }

  #drawStock(random: Random, { warehouses }: CatalogStore): PartnerValues {
    const draw = () => (random.chance(0.3) ? 0 : this.#newValue());
    if (warehouses.length === 0 || random.chance(0.4)) return { stock: draw() };
    const own = random.shuffle(warehouses).slice(0, random.integer(1, warehouses.length));
    const named = random.chance(this.#misplaced) ? [...own, UNKNOWN_WAREHOUSE] : own;
    if (random.chance(0.3)) {
      const same = draw();
      return { warehouses: Object.fromEntries(named.map((clientId) => [clientId, same])) };
    }
    return { warehouses: Object.fromEntries(named.map((clientId) => [clientId, draw()])) };
  }

  /**
   * A unique value, so that it identifies its event at the marketplace. In some seeds values fall, so that the later of two
   * with the same version wins.
   */
  #newValue(): number {
    this.#lastValue += this.#valueStep;
    return this.#lastValue;
  }
}

/** A UUID may be written in either case. */
function written(random: Random, target: string): string {
  const [name = '', value = ''] = target.split(':');
  return name !== 'sku' && random.chance(0.5) ? `${name}:${value.toUpperCase()}` : target;
}

/** The item of §4.8 or §4.9; warehouses with equal stock may share it, or each have their own. */
function itemOf(random: Random, { warehouses, ...values }: PartnerValues): object {
  if (warehouses === undefined) return values;
  const stocks = new Set(Object.values(warehouses));
  if (stocks.size === 1 && random.chance(0.5)) {
    return { stock: [...stocks][0], warehouses: Object.keys(warehouses) };
  }
  return { warehouses: Object.entries(warehouses).map(([clientId, stock]) => ({ clientId, stock })) };
}
