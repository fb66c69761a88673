import { isDeepStrictEqual } from 'node:util';
import { definedOf } from '../../collections/defined-of.ts';
import type { Listing } from '../../listings/model.ts';
import { fieldsOfTarget, nameOfTarget } from '../../listings/rules/target.ts';
import { liveByTarget } from '../../listings/use-cases/recording-reads.ts';
import { clientErrorCodes, MarketplaceError } from '../../marketplace/errors.ts';
import { meaningOf } from '../../marketplace/failures.ts';
import { findProduct } from '../../marketplace/find-product.ts';
import type { Product } from '../../marketplace/products.ts';
import type { Store } from '../../stores/model.ts';
import { listingNamesOf } from '../../stores/rules/names.ts';
import type { Cycle, Drift, ShownPage, UnknownProduct, Verification } from '../model.ts';
import type { ReadTime } from '../rules/compare.ts';
import { afterPage, earliestLook, endedCycle, isCycleCheaper, isCycleDue, newCycle } from '../rules/cycle.ts';
import { lookedAtLater, shouldBeLive } from '../rules/judge.ts';
import { type Ending, findUnseen } from './find-unseen.ts';
import { recordDrift, recordLook, recordMissing } from './record-look.ts';
import type { VerifierWork } from './verifier.ts';

/** The run has no permit, or no time left. */
const ANOTHER_TIME: ReadonlySet<string> = new Set([clientErrorCodes.limitReached, clientErrorCodes.aborted]);

/** The work of one run on one store. Each step makes at most one call of the marketplace. */
export class StoreTurn {
  readonly storeClientId: string;
  readonly #work: VerifierWork;
  #verification: Verification;
  /** Of the store, by target. Read by the first step. */
  #drifts = new Map<string, Drift>();
  #hasBegun = false;
  /** Of the current cycle: a run may end one and begin the next. */
  #ending: Ending | undefined;
  /** Whether the last step has read a product alone. */
  #hasLooked = false;
  /** Whether the last read was passed on. */
  #hasPassed = false;

  constructor(work: VerifierWork, verification: Verification) {
    this.storeClientId = verification.storeClientId;
    this.#work = work;
    this.#verification = verification;
  }

  /**
   * Makes one call: reads a product whose `lookAt` has come, or the next page or product of the cycle.
   *
   * @returns whether there is more to read
   */
  async step(store: Store): Promise<boolean> {
    if (!this.#hasBegun) this.#drifts = await this.#work.ports.drift.ofStore(this.storeClientId);
    this.#hasBegun = true;
    const now = this.#work.ports.clock.now();
    const due = [...this.#drifts.values()].filter(({ lookAt = Number.POSITIVE_INFINITY }) => lookAt <= now);
    const verification = this.#verification;
    const isCheaper = isCycleCheaper(verification, due.length);
    const hasPages =
      isCheaper ||
      verification.cycle !== undefined ||
      isCycleDue(verification, now, this.#work.settings.cycleMs);
    const [next] = due;
    // With a small budget, neither the single products nor the pages must hold up the others.
    if (next !== undefined && !isCheaper && !(this.#hasLooked && hasPages)) {
      this.#hasLooked = true;
      await this.#lookAt(store, next.target);
      return true;
    }
    this.#hasLooked = false;
    return hasPages && this.#goOn(store, now);
  }

  /** Stores the earliest `lookAt` for the next runs, unless the last step has done so. */
  async end(): Promise<void> {
    if (this.#hasBegun && earliestLook(this.#drifts.values()) !== this.#verification.lookAt)
      await this.#save({});
  }

  /**
   * The next step of the cycle; of a new one if none is in progress. A new one is stored before its first page: of two runs that
   * begin one, each would put its pages in place of the other's.
   */
  async #goOn(store: Store, now: number): Promise<boolean> {
    const { cycle = newCycle(new Date(now).toISOString()) } = this.#verification;
    if (this.#verification.cycle === undefined) {
      this.#ending = undefined;
      if (!(await this.#save({ cycle }))) return false;
    }
    return cycle.phase === 'unseen' ? this.#readUnseen(store, cycle) : this.#readPage(store, cycle);
  }

  async #readPage(store: Store, cycle: Cycle): Promise<boolean> {
    const { marketplace, drift, clock } = this.#work.ports;
    const { phase: list, page, startedAt } = cycle;
    if (list === 'unseen') return false;
    const time = this.#timeOf(clock.now());
    const query = {
      ...(list === 'archived' && { isArchived: true }),
      page,
      limit: this.#work.settings.pageSize,
    };
    const { data, pagination } = await marketplace.listProducts(store, query, this.#options());
    const { targets, unknown } = await this.#compare(store, data, time);
    if (targets.length + unknown.length > 0) {
      await drift.putPage(this.storeClientId, { list, page, cycle: startedAt, targets, unknown });
    }
    this.#hasPassed = false;
    const hasNext = pagination.hasNext && data.length > 0;
    return this.#save({ cycle: afterPage(cycle, { hasNext, verified: targets.length }) });
  }

  /** Reads the product of the next listing that was on no page. Ends the cycle after the last one. */
  async #readUnseen(store: Store, cycle: Cycle): Promise<boolean> {
    const { listings, drift, clock } = this.#work.ports;
    const time = this.#timeOf(clock.now());
    this.#ending ??= await findUnseen(this.#work.ports, store, { cycle, drifts: this.#drifts, time });
    const { after = '', page, startedAt } = cycle;
    const target = this.#ending.unseen.find((one) => one > after);
    if (target === undefined) return this.#endCycle(cycle, this.#ending);
    const listing = await listings.get(this.storeClientId, target);
    const isWanted = listing !== undefined && shouldBeLive(listing, time);
    const passed = { ...cycle, page: page + 1, after: target };
    const targets = isWanted
      ? await this.#orPass(this.#lookFor(store, listing, time), () => this.#save({ cycle: passed }))
      : [];
    if (targets === 'passed') return true;
    if (targets.length > 0) {
      const shown: ShownPage = { list: 'unseen', page, cycle: startedAt, targets, unknown: [] };
      await drift.putPage(this.storeClientId, shown);
      this.#ending = { ...this.#ending, pages: [...this.#ending.pages, shown] };
    }
    return this.#save({ cycle: passed });
  }

  /** Returns the targets of a listing's product that have a listing. A listing without a product is missing. */
  async #lookFor(store: Store, listing: Listing, time: ReadTime): Promise<string[]> {
    const products = await this.#readAlone(store, listing);
    if (products !== undefined && products.length > 0)
      return (await this.#compare(store, products, time)).targets;
    if (products !== undefined || this.#wasDueInLastCycle(listing))
      await recordMissing(this.#work, listing, time, this.#drifts);
    return [];
  }

  /** The product of a listing, or none. `undefined` if it can't be read alone: the marketplace reads none by its `externalId`. */
  async #readAlone(store: Store, { target, live }: Listing): Promise<Product[] | undefined> {
    const fields = fieldsOfTarget(target);
    const name = 'externalId' in fields ? live?.productId && { id: live.productId } : fields;
    if (!name) return undefined;
    const product = await findProduct(this.#work.ports.marketplace, store, name, this.#options());
    return product === undefined ? [] : [product];
  }

  /**
   * Whether the product of a listing that no read has ever shown should have been live when the last whole cycle began. One
   * cycle may miss a product that moves to a page that was read already.
   */
  #wasDueInLastCycle(listing: Listing): boolean {
    const { last } = this.#verification;
    return last !== undefined && shouldBeLive(listing, this.#timeOf(Date.parse(last.startedAt)));
  }

  async #lookAt(store: Store, target: string): Promise<void> {
    const { listings, clock } = this.#work.ports;
    const listing = await listings.get(this.storeClientId, target);
    if (listing === undefined) return void (await this.#write(target, undefined));
    const time = this.#timeOf(clock.now());
    const products = await this.#orPass(this.#readAlone(store, listing), () =>
      this.#write(target, lookedAtLater(this.#drifts.get(target), time)),
    );
    if (products === 'passed') return;
    await this.#compare(store, products ?? [], time);
    await this.#endLook(target, time.readAt);
  }

  /**
   * If the marketplace fails to show a product, it must not hold up the others and the pages. If it fails twice running, the
   * next run goes on with them.
   */
  async #orPass<Result>(reading: Promise<Result>, pass: () => Promise<unknown>): Promise<Result | 'passed'> {
    try {
      const result = await reading;
      this.#hasPassed = false;
      return result;
    } catch (error) {
      if (!isFailedRead(error)) throw error;
      await pass();
      if (this.#hasPassed) throw error;
      this.#hasPassed = true;
      this.#work.onFailure(error);
      return 'passed';
    }
  }

  /** If the product of a listing was to be read by then and was not shown: the next cycle finds out why. */
  async #endLook(target: string, readAt: number): Promise<void> {
    const drift = this.#drifts.get(target);
    if (drift?.lookAt === undefined || drift.lookAt > readAt) return;
    const { lookAt: _, ...rest } = drift;
    await this.#write(target, rest);
  }

  #write(target: string, drift: Drift | undefined): Promise<boolean> {
    const { storeClientId } = this;
    return recordDrift(this.#work.ports, this.#drifts, { storeClientId, target }, drift);
  }

  /** Compares products with their listings. Returns the targets with a listing, and the products without one. */
  async #compare(store: Store, products: readonly Product[], time: ReadTime) {
    const names: readonly string[] = listingNamesOf(store.names.products);
    const shownOf = (product: Product) =>
      [...liveByTarget(product, new Date(time.readAt).toISOString())].filter(([target]) =>
        names.includes(nameOfTarget(target)),
      );
    const seen = {
      storeClientId: this.storeClientId,
      shown: new Map(products.flatMap(shownOf)),
      time,
      repairs: store.repair ?? true,
    };
    const targets = await recordLook(this.#work, seen, this.#drifts);
    const listed = new Set(targets);
    const isUnknown = (product: Product) => !shownOf(product).some(([target]) => listed.has(target));
    return { targets, unknown: products.filter(isUnknown).map(namesOfProduct) };
  }

  async #endCycle(cycle: Cycle, { pages, formerPages, targets }: Ending): Promise<boolean> {
    const { drift, clock } = this.#work.ports;
    const known = new Set(targets);
    for (const target of [...this.#drifts.keys()]) {
      if (known.has(target)) await this.#endLook(target, Date.parse(cycle.startedAt));
      else await this.#write(target, undefined);
    }
    await drift.removePages(this.storeClientId, formerPages);
    const drifts = this.#drifts.values();
    const last = endedCycle(cycle, new Date(clock.now()).toISOString(), { pages, drifts, targets });
    if (!(await this.#save({ cycle: undefined, last }))) return false;
    this.#work.counts.cycles += 1;
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
    const lookAt = earliestLook(this.#drifts.values());
    const next = definedOf({ ...before, ...change, lookAt });
    const written = await this.#work.ports.verifications.update(this.storeClientId, (stored) => {
      const current = stored ?? { storeClientId: this.storeClientId };
      if (isDeepStrictEqual(current, before)) return next;
      // The other run does not know the products that this one is to look at again.
      return isBefore(lookAt, current.lookAt) ? { ...current, lookAt } : undefined;
    });
    this.#verification = next;
    return written === next;
  }

  #timeOf(readAt: number): ReadTime {
    return { readAt, graceMs: this.#work.settings.graceMs };
  }

  #options() {
    return { permits: this.#work.ports.permits, signal: this.#work.signal };
  }
}

function isBefore(time: number | undefined, other = Number.POSITIVE_INFINITY): boolean {
  return time !== undefined && time < other;
}

/** Whether the marketplace failed to show something, for a reason that may be about this alone. */
function isFailedRead(error: unknown): boolean {
  if (!(error instanceof MarketplaceError) || ANOTHER_TIME.has(error.code)) return false;
  const meaning = meaningOf(error);
  return meaning !== 'store-refused' && meaning !== 'partner-refused';
}

function namesOfProduct({ id, sku, externalId }: Product): UnknownProduct {
  return { id, ...definedOf({ sku: sku || undefined, externalId: externalId || undefined }) };
}
