import type { PartnerValues } from '../../checks/newest-wins.ts';
import { placeOf, stockPlaces } from '../catalog.ts';
import type { GivenCommand, GivenCreation, GivenUpdate } from './given-commands.ts';
import { type PlannedProduct, type PlannedStore, rowOf } from './plan.ts';
import type { ProductFunctions } from './product-functions.ts';
import type { ProductWorld } from './product-world.ts';

/** Few names, so that each is given away and taken again. */
const SKUS = ['SKU-0', 'SKU-1', 'SKU-2', 'SKU-3'];
/** Milliseconds by which a value may be older than its event. */
const OLDEST_MS = 8_000;
const GRAIN_MS = 2_000;
const LONGEST_REPEAT_MS = 400_000;
/** Milliseconds within which values come beside a rename. */
const BESIDE_MS = 6_000;

/** A name of a product, for values of later versions than `since`. */
interface Naming {
  readonly sku: string;
  readonly since: number;
}

/**
 * The partner's systems: they rename products, create others under the former names, and send prices and stock by the name that
 * the product has at the version of the value. They rename and create when all that was given before has its outcome.
 */
export class RenamingPartner {
  /** Commands and events that were sent, without their repeats. */
  eventCount = 0;
  readonly #world: ProductWorld;
  readonly #functions: ProductFunctions;
  readonly #namings = new Map<PlannedProduct, Naming[]>();
  #lastValue = 0;

  constructor(world: ProductWorld, functions: ProductFunctions) {
    this.#world = world;
    this.#functions = functions;
  }

  start(spanMs: number): void {
    const { simulation, plan, shelf } = this.#world;
    const { random, scheduler } = simulation;
    for (const product of plan.products) {
      const [sku] = product.skus;
      if (sku === undefined) continue;
      const { store, externalId, price, stock } = product;
      shelf.create(store, { externalId, name: 'there before', sku, price, stock });
      this.#namings.set(product, [{ sku, since: 0 }]);
    }
    const times = random.integer(5, 40);
    for (let index = 0; index < times; index += 1)
      scheduler.after(random.integer(0, spanMs), () => this.#offer(random.pick(plan.products)));
  }

  /** Renames a product, or creates one under a name that none has. */
  act(): void {
    const { simulation, plan } = this.#world;
    const { random } = simulation;
    const named = [...this.#namings.keys()];
    // A command without effect waits for a person.
    if (!named.every((product) => this.#isThere(product))) return;
    const taken = new Set([...this.#namings.values()].map((namings) => namings.at(-1)?.sku));
    const free = SKUS.filter((sku) => !taken.has(sku));
    const unmade = plan.products.find((product) => !this.#namings.has(product));
    if (free.length === 0) return;
    const sku = random.pick(free);
    if (unmade !== undefined && random.chance(0.5)) this.#create(unmade, sku);
    else this.#rename(random.pick(named), sku);
  }

  /** Whether the marketplace has the product under the name that the partner gave it last. */
  #isThere(product: PlannedProduct): boolean {
    const last = this.#namings.get(product)?.at(-1)?.sku;
    const found = this.#world.shelf.byExternalId(product.store, product.externalId);
    return last !== undefined && found?.skus.includes(last) === true;
  }

  /** Products that are not there as the partner named them last: what was said of them may have no effect. */
  lost(): PlannedProduct[] {
    return this.#world.plan.products.filter((product) => !this.#isThere(product));
  }

  #create(product: PlannedProduct, sku: string): void {
    const { simulation } = this.#world;
    const { store } = product;
    const commandId = simulation.newId('command');
    const tag = `${commandId}/0`;
    const command: GivenCreation = {
      kind: 'creation',
      origin: 'event',
      store,
      commandId,
      time: simulation.now,
      rows: [{ tag, product }],
    };
    this.#namings.set(product, [{ sku, since: this.#versionAt(store, simulation.now) }]);
    const row = rowOf(simulation.random, { ...product, skus: [sku] }, tag);
    this.#give(command, 'product.create.requested', { products: [row] });
    this.#offerBeside(product);
  }

  #rename(product: PlannedProduct, sku: string): void {
    const { simulation, shelf, newestWins } = this.#world;
    const { random } = simulation;
    const { store, externalId } = product;
    const productId = shelf.byExternalId(store, externalId)?.id;
    if (productId === undefined) return;
    const commandId = simulation.newId('command');
    const given = Math.floor(simulation.now);
    // A time without milliseconds counts as cut off.
    const time = given % 1_000 === 0 ? given + 1 : given;
    const version = this.#versionAt(store, time);
    const values = random.chance(0.3) ? { stock: this.#newValue() } : {};
    const offers = 'stock' in values ? [{ unit: externalId, values }] : [];
    const update: GivenUpdate = {
      kind: 'update',
      store,
      commandId,
      time,
      productId,
      product,
      fields: ['sku'],
      offers,
      fault: undefined,
    };
    this.#namings.get(product)?.push({ sku, since: version });
    if (offers.length > 0) newestWins.offer(store, externalId, version, values);
    this.#give(update, 'product.update.requested', {
      productId,
      ...(store.versionKind === 'integer' && { version }),
      changes: { sku, ...values },
    });
    this.#offerBeside(product);
  }

  #offerBeside(product: PlannedProduct): void {
    const { random, scheduler } = this.#world.simulation;
    const times = random.integer(0, 3);
    for (let index = 0; index < times; index += 1)
      scheduler.after(random.integer(0, BESIDE_MS), () => this.#offer(product));
  }

  /** Sends a price or a stock of the product. */
  #offer(product: PlannedProduct): void {
    const { simulation, newestWins, tables, shelf } = this.#world;
    const { random, now } = simulation;
    const { store, externalId } = product;
    const version = this.#versionAt(store, now - random.integer(0, OLDEST_MS));
    const sku = this.#namings.get(product)?.findLast(({ since }) => since < version)?.sku;
    if (sku === undefined) return;
    const isPrice = random.chance(0.3);
    const value = this.#newValue();
    const values: PartnerValues = isPrice ? { price: value } : { stock: value };
    const eventId = simulation.newId('event');
    const places = isPrice ? ['price'] : stockPlaces(store);
    const stood = () =>
      places.some((name) => shelf.history.get(placeOf(store.storeClientId, externalId, name))?.has(value));
    // It was too late for the old name; a redelivery may be so too.
    const isLate = () =>
      [...tables.rejections.values()].some((one) => one.eventId === eventId && one.code === 'TARGET_RENAMED');
    newestWins.offer(store, externalId, version, values, () => isLate() && !stood());
    this.eventCount += 1;
    const when = store.versionKind === 'time' ? { occurredAt: version } : { version };
    const detail = { storeClientId: store.storeClientId, ...when, items: [{ sku, ...values }] };
    this.#send(this.#functions.listings.changes, {
      id: eventId,
      'detail-type': isPrice ? 'price.changed' : 'stock.changed',
      detail,
    });
  }

  #versionAt({ versionKind }: PlannedStore, time: number): number {
    return versionKind === 'time' ? Math.floor(time) : Math.floor(time / GRAIN_MS);
  }

  #give(command: GivenCommand, detailType: string, detail: object): void {
    const { commandId, store, time } = command;
    this.eventCount += 1;
    this.#world.commands.set(commandId, command);
    this.#send(this.#functions.commands, {
      id: commandId,
      time: new Date(time).toISOString(),
      'detail-type': detailType,
      detail: { storeClientId: store.storeClientId, ...detail },
    });
  }

  /** Sends it, and perhaps once more much later. */
  #send(queue: { send(body: string): void }, event: object): void {
    const { faults, random, scheduler } = this.#world.simulation;
    const body = JSON.stringify(event);
    this.#world.simulation.note('partner', () => body);
    queue.send(body);
    if (!faults.strikes('command given again')) return;
    scheduler.after(random.integer(0, LONGEST_REPEAT_MS), () => queue.send(body));
  }

  /** A unique value, so that it identifies its origin at the marketplace. */
  #newValue(): number {
    this.#lastValue += 1;
    return this.#lastValue;
  }
}
