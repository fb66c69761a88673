import { isRefusedWhole } from '../../checks/products/superseded-updates.ts';
import { drawOffers } from './draw-offers.ts';
import type { GivenCommand, GivenCreation, GivenRow, GivenUpdate } from './given-commands.ts';
import { guid, type PlannedProduct, rowOf } from './plan.ts';
import type { ProductFunctions } from './product-functions.ts';
import { REFUSED } from './product-marketplace.ts';
import type { ProductWorld } from './product-world.ts';
import type { ShelfProduct } from './shelf.ts';

/** Milliseconds between the end of a creation and the deletion of its products: all repeats are over then. */
const SETTLED_MS = 200_000;
/** Milliseconds within which every creation is given for the first time. */
export const CREATIONS_WITHIN_MS = 60_000;
const LONGEST_BURST_MS = 60;
/** A line of a file that is not a product: a recursive walk of it overflows the stack. */
const TOO_DEEP = `{"name":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
const CREATION_KINDS = ['catalog.sync.requested', 'product.create.requested'] as const;
const OFTEN_HELD_UP = 0.03;
const LONGEST_REPEAT_MS = 400_000;
/** Milliseconds between the claimed times of two events. */
const TIME_GRAIN_MS = 2_000;

/** Milliseconds; longer than anything waits. */
const FAR_AHEAD_MS = 24 * 3_600_000;

type ChangedFields = Record<string, unknown>;

/** The partner's systems: they create, change and delete products, and send prices and stock. */
export class ProductPartner {
  /** Commands and events that were sent, without their repeats. */
  eventCount = 0;
  readonly #world: ProductWorld;
  readonly #functions: ProductFunctions;
  /** Whether a row of a creation was settled after that time (epoch ms). */
  readonly #isSettled: (tag: string, since: number) => boolean;
  readonly #startedAt: number;
  /** Times of several simultaneous creations (milliseconds from the start), and their usual kind. */
  readonly #bursts: readonly number[];
  readonly #usualKind: (typeof CREATION_KINDS)[number];
  /** Whether it changes one product again and again, and deletes little. */
  readonly #isFickle: boolean;
  #lastValue = 0;
  /** ID of the product that was changed last: changes of one product come together. */
  #lastChanged: string | undefined;

  constructor(
    world: ProductWorld,
    functions: ProductFunctions,
    isSettled: (tag: string, since: number) => boolean,
  ) {
    this.#world = world;
    this.#functions = functions;
    this.#isSettled = isSettled;
    this.#startedAt = world.simulation.now;
    const { random } = world.simulation;
    this.#bursts = Array.from({ length: random.integer(1, 2) }, () =>
      random.integer(0, CREATIONS_WITHIN_MS - LONGEST_BURST_MS),
    );
    this.#isFickle = random.chance(0.3);
    // A holder of the product's lock may hang until the lock expires.
    if (this.#isFickle && random.chance(0.5)) world.simulation.faults.force('operation hangs', OFTEN_HELD_UP);
    this.#usualKind = random.pick(CREATION_KINDS);
  }

  /** Sends creations at first, and changes of their products all the time. */
  start(spanMs: number): void {
    const { simulation, plan } = this.#world;
    const { random, scheduler } = simulation;
    const most = random.pick([1, 2, 5]);
    for (const store of plan.stores) {
      const products = plan.products.filter((product) => product.store === store);
      this.#planCreations(products, most);
      if (random.chance(0.5)) this.#planCreations(products, random.pick([most, products.length]));
    }
    // Often all of them before and while the products are created.
    this.#repeat(random.integer(0, 8), random.pick([CREATIONS_WITHIN_MS, spanMs]), () => this.#offer());
    const changes = this.#isFickle ? random.integer(20, 50) : random.integer(0, 10);
    this.#repeat(changes, spanMs, () => this.#change());
    scheduler.after(spanMs, () => simulation.note('partner', () => 'is silent from here on'));
  }

  #repeat(times: number, spanMs: number, action: () => void): void {
    const { random, scheduler } = this.#world.simulation;
    const bursts = [random.integer(0, spanMs), random.integer(0, spanMs)];
    for (let index = 0; index < times; index += 1) {
      const atMs = random.chance(0.5) ? random.pick(bursts) : random.integer(0, spanMs);
      scheduler.after(atMs + random.integer(0, 1_000), action);
    }
  }

  /** Creates all products, each command with at most this many. */
  #planCreations(all: readonly PlannedProduct[], most: number): void {
    const { random } = this.#world.simulation;
    const products = random.shuffle([...all]);
    while (products.length > 0) this.#planCreation(products.splice(0, random.integer(1, most)));
  }

  #planCreation(products: readonly PlannedProduct[]): void {
    const { random, scheduler } = this.#world.simulation;
    const atMs = random.chance(0.8) ? random.pick(this.#bursts) : random.integer(0, CREATIONS_WITHIN_MS);
    scheduler.after(atMs + random.integer(0, LONGEST_BURST_MS), () => this.#create(products));
  }

  #create(products: readonly PlannedProduct[]): void {
    const { simulation, tables } = this.#world;
    const { random } = simulation;
    const [first] = products;
    if (first === undefined) return;
    const { store } = first;
    const isFile = random.chance(0.3);
    const commandId = isFile
      ? `catalog/${store.storeClientId}/${simulation.newId('file')}.ndjson`
      : simulation.newId('command');
    // A product may be in an event twice.
    const given = !isFile && random.chance(0.1) ? [...products, random.pick(products)] : products;
    const rows: GivenRow[] = given.map((product, index) => ({ tag: `${commandId}/${index}`, product }));
    const bodies = rows.map(({ tag, product }) => rowOf(random, product, tag));
    const command: GivenCreation = {
      kind: 'creation',
      origin: isFile ? 'file' : 'event',
      store,
      commandId,
      time: simulation.now,
      rows,
    };
    if (!isFile) {
      const detailType = random.chance(0.8) ? this.#usualKind : random.pick(CREATION_KINDS);
      this.#give(command, detailType, { products: bodies });
      return;
    }
    this.#keep(command);
    const lines = bodies.map((body) => JSON.stringify(body));
    if (random.chance(0.2)) lines.push(TOO_DEEP);
    tables.files.set(commandId, lines.join('\n'));
    this.#send(this.#functions.imports, announcementOf(commandId, simulation.now));
  }

  /** Updates or deletes an existing or a former product. */
  #change(): void {
    const { simulation, shelf } = this.#world;
    const { random } = simulation;
    const there = shelf.all();
    if (there.length === 0) return;
    const last = there.find(({ id }) => id === this.#lastChanged);
    const product =
      last !== undefined && random.chance(this.#isFickle ? 0.9 : 0.5) ? last : random.pick(there);
    this.#lastChanged = product.id;
    if (random.chance(this.#isFickle ? 0.05 : 0.3)) this.#delete(product);
    else this.#update(product);
  }

  #update({ id, store, externalId }: ShelfProduct): void {
    const { simulation, plan } = this.#world;
    const product = plan.products.find((one) => one.store === store && one.externalId === externalId);
    if (product === undefined) return;
    const { random, now } = simulation;
    const commandId = simulation.newId('command');
    const fault = random.chance(0.2) ? random.pick(['broken', 'ahead', 'refused'] as const) : undefined;
    const fields: ChangedFields = {
      ...(random.chance(0.6) && { weight: this.#newValue() }),
      ...(random.chance(0.4) && { minOrder: this.#newValue() }),
      ...(fault === 'broken' && { colour: 'red' }),
      ...(random.chance(0.4) && { name: commandId }),
      ...(fault === 'refused' && { description: REFUSED }),
    };
    const { offers, changes } = drawOffers(random, product, () => this.#newValue());
    if (Object.keys({ ...fields, ...changes }).length === 0) return;
    const given = Math.floor(now) - random.integer(0, 5_000) + (fault === 'ahead' ? FAR_AHEAD_MS : 0);
    // A time without milliseconds counts as cut off: the model would not know which of two updates is newer.
    const time = given % 1_000 === 0 ? given + 1 : given;
    const update: GivenUpdate = {
      kind: 'update',
      store,
      commandId,
      time,
      givenAt: now,
      productId: id,
      product,
      fields: [...Object.keys(fields), ...('variants' in changes ? ['variants'] : [])],
      offers: fault === undefined || fault === 'refused' ? offers : [],
      fault,
    };
    const version = store.versionKind === 'time' ? time : Math.floor(time / TIME_GRAIN_MS);
    const isVoid = fault === undefined ? undefined : () => isRefusedWhole(this.#world, update);
    for (const { unit, values } of update.offers)
      this.#world.newestWins.offer(store, unit, version, values, isVoid);
    this.#give(update, 'product.update.requested', {
      productId: id,
      ...(store.versionKind === 'integer' && { version }),
      changes: { ...fields, ...changes },
    });
  }

  #delete(product: ShelfProduct): void {
    const { simulation } = this.#world;
    const { random } = simulation;
    if (!this.#mayDelete(product)) return;
    const ids = [product.id];
    if (random.chance(0.2)) ids.push('no-uuid');
    const missing = random.pick([0, 0, 1, 4]);
    for (let number = 1; number <= missing; number += 1) ids.push(guid('f', number));
    const { store } = product;
    const commandId = simulation.newId('command');
    const command = { kind: 'deletion', store, commandId, time: simulation.now, ids } as const;
    this.#give(command, 'product.delete.requested', { ids: random.shuffle(ids) });
  }

  /** Whether all creations of the product are over, so that none is still in flight. */
  #mayDelete({ store, externalId }: ShelfProduct): boolean {
    const { now } = this.#world.simulation;
    if (now < this.#startedAt + CREATIONS_WITHIN_MS) return false;
    const since = now - SETTLED_MS;
    return [...this.#world.commands.values()].every(
      (command) =>
        command.kind !== 'creation' ||
        command.store !== store ||
        command.rows.every(
          ({ tag, product }) => product.externalId !== externalId || this.#isSettled(tag, since),
        ),
    );
  }

  /** Sends a price or a stock, also before the product exists. */
  #offer(): void {
    const { simulation, plan, shelf } = this.#world;
    const { random, now } = simulation;
    const product = random.pick(plan.products);
    const id = shelf.byExternalId(product.store, product.externalId)?.id;
    const isBySku = product.store.productNames === 'sku';
    if (!isBySku && product.shape === 'variants') return;
    const sku = isBySku ? random.pick(product.skus) : undefined;
    const name = sku === undefined ? id && { id } : { sku };
    if (!name) return;
    const unit = product.shape === 'simple' ? product.externalId : (sku ?? '');
    const isPrice = random.chance(0.4);
    const values = isPrice
      ? { price: this.#newValue() }
      : { stock: random.chance(0.3) ? 0 : this.#newValue() };
    const { store } = product;
    const { storeClientId, versionKind } = store;
    const grains = Math.floor(now / TIME_GRAIN_MS) - random.integer(0, 5);
    const version = versionKind === 'time' ? grains * TIME_GRAIN_MS : grains;
    this.#world.newestWins.offer(store, unit, version, values);
    this.eventCount += 1;
    const items = [{ ...name, ...values }];
    const detail = { storeClientId, [versionKind === 'time' ? 'occurredAt' : 'version']: version, items };
    const detailType = isPrice ? 'price.changed' : 'stock.changed';
    this.#send(this.#functions.listings.changes, {
      id: simulation.newId('event'),
      'detail-type': detailType,
      detail,
    });
  }

  #give(command: GivenCommand, detailType: string, detail: object): void {
    const { commandId, store, time } = command;
    this.#keep(command);
    const { storeClientId } = store;
    const isOwnId = this.#world.simulation.random.chance(0.7);
    this.#send(this.#functions.commands, {
      id: isOwnId ? this.#world.simulation.newId('event') : commandId,
      time: new Date(time).toISOString(),
      'detail-type': detailType,
      detail: { storeClientId, ...(isOwnId && { commandId }), ...detail },
    });
  }

  #keep(command: GivenCommand): void {
    this.eventCount += 1;
    this.#world.commands.set(command.commandId, command);
  }

  /** Sends it, and perhaps once more much later. */
  #send(queue: { send(body: string): void }, event: object): void {
    const { simulation } = this.#world;
    const { faults, random, scheduler } = simulation;
    const body = JSON.stringify(event);
    simulation.note('partner', () => body);
    queue.send(body);
    if (faults.strikes('message delivered twice')) queue.send(body);
    if (!faults.strikes('command given again')) return;
    scheduler.after(random.integer(0, LONGEST_REPEAT_MS), () => {
      simulation.note('partner', () => `again ${body}`);
      queue.send(body);
    });
  }

  /** A unique value, so that it identifies its origin at the marketplace. */
  #newValue(): number {
    this.#lastValue += 1;
    return this.#lastValue;
  }
}

/** S3's event about a file. */
export function announcementOf(key: string, now: number): object {
  return {
    id: `put of ${key}`,
    time: new Date(now).toISOString(),
    'detail-type': 'Object Created',
    detail: { bucket: { name: 'imports' }, object: { key, etag: key, sequencer: '1' } },
  };
}
