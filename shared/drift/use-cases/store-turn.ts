import { isDeepStrictEqual } from 'node:util';
import { definedOf } from '../../collections/defined-of.ts';
import { chunk } from '../../collections/packer.ts';
import type { Listing } from '../../listings/model.ts';
import { fieldsOfTarget, nameOfTarget } from '../../listings/rules/target.ts';
import { shownByTarget } from '../../listings/use-cases/recording-reads.ts';
import { MarketplaceError, PRODUCT_NOT_FOUND } from '../../marketplace/errors.ts';
import type { Product } from '../../marketplace/products.ts';
import type { Store } from '../../stores/model.ts';
import { listingNamesOf } from '../../stores/rules/names.ts';
import { isoTime } from '../../time/iso-time.ts';
import type { Cycle, Drift, ShownPage, UnknownProduct, Verification } from '../model.ts';
import { afterPage, earliestLook, endedCycle, isCycleDue, newCycle, seenTargets } from '../rules/cycle.ts';
import { shouldBeLive } from '../rules/judge.ts';
import { recordDrift, recordLook, recordMissing } from './record-look.ts';
import type { VerifierCounts, VerifierPorts, VerifierSettings } from './verifier.ts';

/** Listings read at a time to find those whose product should have been on a page. */
const LISTINGS_PER_READ = 100;

/** What the end of a cycle needs: read once in a run. */
interface Ending {
  /** What the cycle has read. */
  readonly pages: readonly ShownPage[];
  /** Pages of earlier cycles. */
  readonly formerPages: readonly ShownPage[];
  /** Of all listings. */
  readonly targets: readonly string[];
  /** Targets whose products were on no page and should have been, in order. */
  readonly unseen: readonly string[];
}

/** The work of one run on one store. Each step makes at most one call of the marketplace. */
export class StoreTurn {
  readonly storeClientId: string;
  readonly #ports: VerifierPorts;
  readonly #settings: VerifierSettings;
  readonly #counts: VerifierCounts;
  readonly #signal: AbortSignal;
  #verification: Verification;
  #drifts: Map<string, Drift> | undefined;
  /** Of the current cycle: a run may end one and begin the next. */
  #ending: Ending | undefined;
  /** Whether the pages of a cycle need fewer calls than the single products that were due at the beginning. */
  #isCheaper: boolean | undefined;
  /** Whether the last step has read a product alone. */
  #hasLooked = false;

  constructor(
    ports: VerifierPorts,
    settings: VerifierSettings,
    {
      verification,
      counts,
      signal,
    }: { readonly verification: Verification; readonly counts: VerifierCounts; readonly signal: AbortSignal },
  ) {
    this.storeClientId = verification.storeClientId;
    this.#ports = ports;
    this.#settings = settings;
    this.#verification = verification;
    this.#counts = counts;
    this.#signal = signal;
  }

  /**
   * Makes one call: reads a product whose `lookAt` has come, or the next page or product of the cycle.
   *
   * @returns whether there is more to read
   */
  async step(store: Store): Promise<boolean> {
    this.#drifts ??= await this.#ports.drift.ofStore(this.storeClientId);
    const now = this.#ports.clock.now();
    const due = [...this.#drifts.values()].filter(({ lookAt = Number.POSITIVE_INFINITY }) => lookAt <= now);
    const { cycle, last } = this.#verification;
    this.#isCheaper ??= last !== undefined && due.length > last.pages;
    const hasPages =
      this.#isCheaper || cycle !== undefined || isCycleDue(this.#verification, now, this.#settings.cycleMs);
    const [next] = due;
    // With a small budget, neither the single products nor the pages must hold up the others.
    if (next !== undefined && !this.#isCheaper && !(this.#hasLooked && hasPages)) {
      this.#hasLooked = true;
      await this.#lookAt(store, next);
      return true;
    }
    this.#hasLooked = false;
    return hasPages && this.#goOn(store, now);
  }

  /** Stores the earliest `lookAt` for the next runs, unless the last step has done so. */
  async end(): Promise<void> {
    if (this.#drifts === undefined) return;
    if (earliestLook(this.#drifts.values()) !== this.#verification.lookAt) await this.#save({});
  }

  /** The next step of the cycle; of a new one if none is in progress, or if the store's products have other names now. */
  #goOn(store: Store, now: number): Promise<boolean> {
    const { names } = store;
    const { cycle: present } = this.#verification;
    const cycle = present?.names === names.products ? present : newCycle(isoTime(now), names.products);
    if (cycle !== present) this.#ending = undefined;
    return cycle.phase === 'unseen' ? this.#readUnseen(store, cycle) : this.#readPage(store, cycle);
  }

  async #readPage(store: Store, cycle: Cycle): Promise<boolean> {
    const { marketplace, drift, clock } = this.#ports;
    const { pageSize } = this.#settings;
    const { phase: list, page, startedAt } = cycle;
    if (list === 'unseen') return false;
    const readAt = clock.now();
    const query = { ...(list === 'archived' && { isArchived: true }), page, limit: pageSize };
    const { data, pagination } = await marketplace.listProducts(store, query, this.#options());
    const { targets, unknown } = await this.#compare(store, data, readAt);
    if (targets.length + unknown.length > 0) {
      await drift.putPage(this.storeClientId, { list, page, cycle: startedAt, targets, unknown });
    }
    const { total, hasNext } = pagination;
    const next = afterPage(cycle, {
      total,
      hasNext: hasNext && data.length > 0,
      pageSize,
      verified: targets.length,
    });
    return this.#save({ cycle: next });
  }

  /** Reads the product of the next listing that was on no page. Ends the cycle after the last one. */
  async #readUnseen(store: Store, cycle: Cycle): Promise<boolean> {
    const { listings, drift, clock } = this.#ports;
    this.#ending ??= await this.#findUnseen(cycle);
    const { after = '', page, startedAt } = cycle;
    const target = this.#ending.unseen.find((one) => one > after);
    if (target === undefined) return this.#endCycle(cycle, this.#ending);
    const listing = await listings.get(this.storeClientId, target);
    const time = { readAt: clock.now(), graceMs: this.#settings.graceMs };
    const isWanted = listing !== undefined && shouldBeLive(listing, time);
    const targets = isWanted ? await this.#lookFor(store, listing, cycle) : [];
    if (targets.length > 0) {
      const shown: ShownPage = { list: 'unseen', page, cycle: startedAt, targets, unknown: [] };
      await drift.putPage(this.storeClientId, shown);
      this.#ending = { ...this.#ending, pages: [...this.#ending.pages, shown] };
    }
    return this.#save({ cycle: { ...cycle, page: page + 1, after: target } });
  }

  async #findUnseen({ startedAt }: Cycle): Promise<Ending> {
    const { drift, listings, clock } = this.#ports;
    const all = await drift.pagesOf(this.storeClientId);
    const targets = await listings.targets(this.storeClientId);
    const seen = seenTargets(all, startedAt);
    // A product that is known to be missing is only looked for on the pages.
    const isOpen = (target: string) => this.#drifts?.get(target)?.missingSince === undefined;
    const unseen = targets.filter((target) => !seen.has(target) && isOpen(target)).sort();
    const time = { readAt: clock.now(), graceMs: this.#settings.graceMs };
    const wanted: string[] = [];
    for (const some of chunk(unseen, LISTINGS_PER_READ)) {
      const known = await listings.getMany(this.storeClientId, some, { mayBeStale: true });
      const live = [...known.values()].filter((listing) => shouldBeLive(listing, time));
      wanted.push(...live.map(({ target }) => target).sort());
    }
    const [pages = [], formerPages = []] = [true, false].map((isOurs) =>
      all.filter(({ cycle }) => (cycle === startedAt) === isOurs),
    );
    return { pages, formerPages, targets, unseen: wanted };
  }

  /** @returns the targets of the product that have a listing; none if it is missing */
  async #lookFor(store: Store, listing: Listing, { hasShifted }: Cycle): Promise<string[]> {
    const name = fieldsOfTarget(listing.target);
    const read =
      'sku' in name
        ? (options = this.#options()) => this.#ports.marketplace.getProductBySku(store, name, options)
        : 'id' in name
          ? (options = this.#options()) =>
              this.#ports.marketplace.getProduct(store, { productId: name.id }, options)
          : undefined;
    // The marketplace reads no product by its externalId. While a list is read that changes, a product may be on no page.
    if (read === undefined && hasShifted) return [];
    const readAt = this.#ports.clock.now();
    const product = read && (await found(read()));
    if (product !== undefined) return (await this.#compare(store, [product], readAt)).targets;
    const time = { readAt, graceMs: this.#settings.graceMs };
    await recordMissing(this.#ports, listing, time, this.#drifts ?? new Map(), this.#counts);
    return [];
  }

  async #lookAt(store: Store, { target, productId }: Drift): Promise<void> {
    const { listings, marketplace, clock } = this.#ports;
    const listing = await listings.get(this.storeClientId, target);
    const readAt = clock.now();
    const read = () => marketplace.getProduct(store, { productId: productId ?? '' }, this.#options());
    const product = listing && productId !== undefined ? await found(read()) : undefined;
    if (product !== undefined) await this.#compare(store, [product], readAt);
    if (listing === undefined) await this.#write(target, undefined);
    else await this.#endLook(target, readAt);
  }

  /** If the product of a listing was to be read by then and was not shown: the next cycle finds out why. */
  async #endLook(target: string, readAt: number): Promise<void> {
    const drift = this.#drifts?.get(target);
    if (drift?.lookAt === undefined || drift.lookAt > readAt) return;
    const { lookAt: _, ...rest } = drift;
    await this.#write(target, rest);
  }

  #write(target: string, drift: Drift | undefined): Promise<boolean> {
    const { storeClientId } = this;
    return recordDrift(this.#ports, this.#drifts ?? new Map(), { storeClientId, target }, drift);
  }

  /** Compares products with their listings. Returns the targets with a listing, and the products without one. */
  async #compare(store: Store, products: readonly Product[], readAt: number) {
    const names: readonly string[] = listingNamesOf(store.names.products);
    const shownOf = (product: Product) =>
      [...shownByTarget(product)].filter(([target]) => names.includes(nameOfTarget(target)));
    const shown = new Map(
      products.flatMap((product) =>
        shownOf(product).map(([target, values]) => [target, { values, productId: product.id }] as const),
      ),
    );
    const seen = {
      storeClientId: this.storeClientId,
      shown,
      time: { readAt, graceMs: this.#settings.graceMs },
      repairs: store.repair ?? true,
    };
    const targets = await recordLook(this.#ports, seen, this.#drifts ?? new Map(), this.#counts);
    const listed = new Set(targets);
    const isUnknown = (product: Product) => !shownOf(product).some(([target]) => listed.has(target));
    return { targets, unknown: products.filter(isUnknown).map(namesOfProduct) };
  }

  async #endCycle(cycle: Cycle, { pages, formerPages, targets }: Ending): Promise<boolean> {
    const { drift, clock } = this.#ports;
    const known = new Set(targets);
    for (const target of [...(this.#drifts?.keys() ?? [])]) {
      if (known.has(target)) await this.#endLook(target, Date.parse(cycle.startedAt));
      else await this.#write(target, undefined);
    }
    await drift.removePages(this.storeClientId, formerPages);
    const drifts = this.#drifts?.values() ?? [];
    const last = endedCycle(cycle, isoTime(clock.now()), { pages, drifts, targets });
    if (!(await this.#save({ cycle: undefined, last }))) return false;
    this.#counts.cycles += 1;
    return true;
  }

  /**
   * Stores the progress together with the earliest `lookAt`: after a crash between the two, an ended cycle would leave
   * products unread until the next one.
   *
   * @returns `false` if another run works on the store: this one ends its work on it
   */
  async #save(change: Partial<Verification>): Promise<boolean> {
    const before = this.#verification;
    const lookAt = this.#drifts ? earliestLook(this.#drifts.values()) : before.lookAt;
    const next = definedOf({ ...before, ...change, lookAt });
    const isOurs = (current: Verification | undefined) =>
      isDeepStrictEqual(current ?? { storeClientId: this.storeClientId }, before);
    const written = await this.#ports.verifications.update(this.storeClientId, (current) =>
      isOurs(current) ? next : undefined,
    );
    this.#verification = next;
    return written === next;
  }

  #options() {
    return { permits: this.#ports.permits, signal: this.#signal };
  }
}

/** The product of an answer; `undefined` if there is none. */
async function found(answer: Promise<{ readonly data: Product }>): Promise<Product | undefined> {
  try {
    return (await answer).data;
  } catch (error) {
    if (error instanceof MarketplaceError && error.code === PRODUCT_NOT_FOUND) return undefined;
    throw error;
  }
}

function namesOfProduct({ id, sku, externalId }: Product): UnknownProduct {
  return { id, ...definedOf({ sku: sku || undefined, externalId: externalId || undefined }) };
}
