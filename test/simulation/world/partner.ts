import type { PartnerValues } from '../checks/newest-wins.ts';
import type { Random } from '../engine/random.ts';
import { type CatalogStore, type CatalogTarget, FIRST_REFUSED_PRICE } from './catalog.ts';
import type { MessageQueue } from './message-queue.ts';
import { rowNameOf } from './sent-rows.ts';
import type { World } from './world.ts';

/** Versions that compete for one target: few, so that there are ties. */
const INTEGER_VERSIONS = 12;
/** Where values begin that fall: far from 0, and from the prices that are refused. */
const HIGHEST_VALUE = 100_000;
/** Milliseconds between two times that events claim to have happened at. */
const TIME_GRAIN_MS = 2_000;

/** The partner's systems: they say what is true, out of order, more than once, and with competing versions. */
export class Partner {
  /** Events that were sent, without their duplicates. */
  eventCount = 0;
  readonly #world: World;
  readonly #changes: MessageQueue;
  readonly #valueStep: 1 | -1;
  #lastValue: number;

  constructor(world: World, changes: MessageQueue) {
    this.#world = world;
    this.#changes = changes;
    this.#valueStep = world.simulation.random.pick([1, -1]);
    this.#lastValue = this.#valueStep > 0 ? 0 : HIGHEST_VALUE;
  }

  /** Sends `count` events over `spanMs`, in bursts and lulls. */
  start(count: number, spanMs: number): void {
    const { random, scheduler } = this.#world.simulation;
    const bursts = Array.from({ length: random.integer(1, 6) }, () => random.integer(0, spanMs));
    for (let index = 0; index < count; index += 1) {
      const base = random.chance(0.6) ? random.pick(bursts) : random.integer(0, spanMs);
      scheduler.after(base + random.integer(0, 500), () => this.#sendEvent());
    }
  }

  #sendEvent(): void {
    const { random } = this.#world.simulation;
    const store = random.pick(this.#world.stores);
    const versionKind = random.pick(store.targets).versionKind;
    const targets = store.targets.filter((target) => target.versionKind === versionKind);
    const named = random.shuffle(targets).slice(0, random.integer(1, targets.length));
    const version = this.#drawVersion(versionKind);
    const isPrice = random.chance(0.35);
    const items = named.map((target) => {
      const values = isPrice ? this.#drawPrice(random) : this.#drawStock(random, store);
      this.#world.newestWins.offer(store, target.target, version, values);
      return { ...rowNameOf(drawName(random, target, isPrice)), ...itemOf(values) };
    });
    const { storeClientId } = store;
    const detail = { storeClientId, [versionKind === 'time' ? 'occurredAt' : 'version']: version, items };
    this.#send({
      id: `event-${this.eventCount}`,
      'detail-type': isPrice ? 'price.changed' : 'stock.changed',
      detail,
    });
    this.eventCount += 1;
  }

  #send(event: object): void {
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
    const named = random.shuffle(warehouses).slice(0, random.integer(1, warehouses.length));
    return { warehouses: Object.fromEntries(named.map((clientId) => [clientId, draw()])) };
  }

  /**
   * Like no other, so that it tells at the marketplace where it came from. In some seeds they fall, so that the later one
   * wins where two have the same version.
   */
  #newValue(): number {
    this.#lastValue += this.#valueStep;
    return this.#lastValue;
  }
}

/** One of the product's names; no price row goes by an externalId. */
function drawName(random: Random, { target, otherNames }: CatalogTarget, isPrice: boolean): string {
  if (otherNames === undefined) return target;
  return random.pick([target, ...otherNames].filter((name) => !isPrice || !name.startsWith('externalId:')));
}

function itemOf({ warehouses, ...values }: PartnerValues): object {
  if (warehouses === undefined) return values;
  return { warehouses: Object.entries(warehouses).map(([clientId, stock]) => ({ clientId, stock })) };
}
