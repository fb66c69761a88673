import { isDeepStrictEqual } from 'node:util';
import { definedOf } from '../../collections/defined-of.ts';
import type { Listing } from '../../listings/model.ts';
import { fieldsOfTarget, nameOfTarget } from '../../listings/rules/target.ts';
import { shownByTarget } from '../../listings/use-cases/recording-reads.ts';
import { MarketplaceError, PRODUCT_NOT_FOUND } from '../../marketplace/errors.ts';
import type { Product } from '../../marketplace/products.ts';
import type { Store } from '../../stores/model.ts';
import { listingNamesOf } from '../../stores/rules/names.ts';
import { isoTime } from '../../time/iso-time.ts';
import type { Cycle, Drift, UnknownProduct, Verification } from '../model.ts';
import { afterPage, earliestLook, endedCycle, isCycleDue, newCycle, seenTargets } from '../rules/cycle.ts';
import { shouldBeLive } from '../rules/judge.ts';
import { recordLook, recordMissing } from './record-look.ts';
import type { VerifierCounts, VerifierPorts, VerifierSettings } from './verifier.ts';

/** Most products of a store that are read alone in one run, before the cycle continues. */
const LOOKS_PER_RUN = 20;
/** Listings read at a time to find the next one whose product was on no page. */
const LISTINGS_PER_READ = 100;

/** The work of one run on one store. Each step makes at most one call of the marketplace. */
export class StoreTurn {
  readonly storeClientId: string;
  readonly #ports: VerifierPorts;
  readonly #settings: VerifierSettings;
  readonly #counts: VerifierCounts;
  readonly #signal: AbortSignal;
  #verification: Verification;
  #drifts: Map<string, Drift> | undefined;
  /** Targets whose products were on no page of the current cycle, in order. A run may end a cycle and begin the next. */
  #unseen: readonly string[] | undefined;
  #looks = 0;

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
    // The pages then need fewer calls than the single products.
    const isCheaper = due.length > (last?.pages ?? 0) + LOOKS_PER_RUN;
    const [next] = due;
    if (next !== undefined && this.#looks < LOOKS_PER_RUN && !isCheaper) {
      this.#looks += 1;
      await this.#lookAt(store, next);
      return true;
    }
    if (cycle !== undefined) return this.#goOn(store, cycle);
    if (isCheaper || isCycleDue(this.#verification, now, this.#settings.cycleMs)) {
      return this.#goOn(store, newCycle(isoTime(now)));
    }
    return false;
  }

  /** Stores the earliest `lookAt` for the next runs, unless the last step has done so. */
  async end(): Promise<void> {
    if (this.#drifts === undefined) return;
    if (earliestLook(this.#drifts.values()) !== this.#verification.lookAt) await this.#save({});
  }

  #goOn(store: Store, cycle: Cycle): Promise<boolean> {
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
    const { listings, clock } = this.#ports;
    this.#unseen ??= await this.#findUnseen(cycle);
    const { after = '' } = cycle;
    const some = this.#unseen.filter((target) => target > after).slice(0, LISTINGS_PER_READ);
    if (some.length === 0) return this.#endCycle(cycle);
    const known = await listings.getMany(this.storeClientId, some);
    const time = { readAt: clock.now(), graceMs: this.#settings.graceMs };
    const next = some.flatMap((target) => known.get(target) ?? []).find((one) => shouldBeLive(one, time));
    if (next !== undefined) await this.#lookFor(store, next, cycle);
    return this.#save({ cycle: { ...cycle, after: next?.target ?? some.at(-1) } });
  }

  async #findUnseen({ startedAt }: Cycle): Promise<string[]> {
    const pages = await this.#ports.drift.pagesOf(this.storeClientId);
    const seen = seenTargets(pages, startedAt);
    const targets = await this.#ports.listings.targets(this.storeClientId);
    // A product that is known to be missing is only looked for on the pages.
    const isOpen = (target: string) => this.#drifts?.get(target)?.missingSince === undefined;
    return targets.filter((target) => !seen.has(target) && isOpen(target)).sort();
  }

  async #lookFor(store: Store, listing: Listing, { hasShifted }: Cycle): Promise<void> {
    const name = fieldsOfTarget(listing.target);
    const read =
      'sku' in name
        ? (options = this.#options()) => this.#ports.marketplace.getProductBySku(store, name, options)
        : 'id' in name
          ? (options = this.#options()) =>
              this.#ports.marketplace.getProduct(store, { productId: name.id }, options)
          : undefined;
    // The marketplace reads no product by its externalId. While a list is read that changes, a product may be on no page.
    if (read === undefined && hasShifted) return;
    const readAt = this.#ports.clock.now();
    const product = read && (await found(read()));
    if (product === undefined) return this.#recordMissing(listing, readAt);
    await this.#compare(store, [product], readAt);
  }

  async #lookAt(store: Store, { target, productId }: Drift): Promise<void> {
    const { listings, drift, marketplace, clock } = this.#ports;
    const listing = await listings.get(this.storeClientId, target);
    const readAt = clock.now();
    const read = () => marketplace.getProduct(store, { productId: productId ?? '' }, this.#options());
    const product = listing && productId !== undefined ? await found(read()) : undefined;
    if (product !== undefined) await this.#compare(store, [product], readAt);
    const after = this.#drifts?.get(target);
    // The read did not show it: the next cycle finds out why.
    if (after?.lookAt === undefined || after.lookAt > readAt) return;
    const { lookAt: _, ...rest } = after;
    if (listing === undefined) {
      await drift.remove(this.storeClientId, target);
      this.#drifts?.delete(target);
    } else {
      await drift.update(this.storeClientId, target, (current) => current && rest);
      this.#drifts?.set(target, rest);
    }
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

  async #recordMissing(listing: Listing, readAt: number): Promise<void> {
    const time = { readAt, graceMs: this.#settings.graceMs };
    await recordMissing(this.#ports, listing, time, this.#drifts ?? new Map(), this.#counts);
  }

  async #endCycle(cycle: Cycle): Promise<boolean> {
    const { drift, listings, clock } = this.#ports;
    const { storeClientId } = this;
    const all = await drift.pagesOf(storeClientId);
    const pages = all.filter((page) => page.cycle === cycle.startedAt);
    const targets = await listings.targets(storeClientId);
    const known = new Set(targets);
    for (const target of [...(this.#drifts?.keys() ?? [])].filter((one) => !known.has(one))) {
      await drift.remove(storeClientId, target);
      this.#drifts?.delete(target);
    }
    await drift.removePages(
      storeClientId,
      all.filter((page) => page.cycle !== cycle.startedAt),
    );
    const drifts = this.#drifts?.values() ?? [];
    const last = endedCycle(cycle, isoTime(clock.now()), { pages, drifts, targets });
    this.#unseen = undefined;
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
