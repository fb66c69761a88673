import { isDeepStrictEqual } from 'node:util';
import { definedOf } from '../../collections/defined-of.ts';
import { liveByTarget } from '../../listings/use-cases/recording-reads.ts';
import type { Product } from '../../marketplace/products.ts';
import type { Store } from '../../stores/model.ts';
import type { EpochMs, IsoTime } from '../../time/times.ts';
import type { Cycle, Drift, ShownPage, UnknownProduct, Verification } from '../model.ts';
import { afterPage, isListedBy, newCycle } from '../rules/cycle.ts';
import { closeCycle } from './close-cycle.ts';
import { recordLook } from './record-look.ts';
import type { VerifierWork } from './verifier.ts';

/** The work of one run on one store that is due. Each step makes at most one call of the marketplace. */
export class StoreTurn {
  readonly storeClientId: string;
  readonly #work: VerifierWork;
  #verification: Verification;
  /** The store's drifts, by target. The first step reads them. */
  #drifts: Map<string, Drift> | undefined;

  constructor(work: VerifierWork, verification: Verification) {
    this.storeClientId = verification.storeClientId;
    this.#work = work;
    this.#verification = verification;
  }

  /**
   * Reads the next page of the cycle, or closes it after the last one. A new cycle is stored before its first page: otherwise
   * two runs could start one each and overwrite each other's pages.
   *
   * @returns whether there is more to do
   */
  async step(store: Store): Promise<boolean> {
    const { ports } = this.#work;
    this.#drifts ??= await ports.drift.ofStore(this.storeClientId);
    const { cycle } = this.#verification;
    if (cycle === undefined) {
      const begun = newCycle(new Date(ports.clock.now()).toISOString());
      return (await this.#save({ cycle: begun })) && this.#goOn(store, begun, this.#drifts);
    }
    return this.#goOn(store, cycle, this.#drifts);
  }

  #goOn(store: Store, cycle: Cycle, drifts: Map<string, Drift>): Promise<boolean> {
    const { phase } = cycle;
    return phase === 'closing'
      ? this.#close(store, cycle, drifts)
      : this.#readPage(store, { cycle, list: phase }, drifts);
  }

  async #readPage(
    store: Store,
    { cycle, list }: { readonly cycle: Cycle; readonly list: ShownPage['list'] },
    drifts: Map<string, Drift>,
  ): Promise<boolean> {
    const { ports, settings, signal } = this.#work;
    const { marketplace, drift, clock, permits } = ports;
    const { page, startedAt } = cycle;
    const readAt = clock.now();
    const query = { ...(list === 'archived' && { isArchived: true }), page, limit: settings.pageSize };
    const { data, pagination } = await marketplace.listProducts(store, query, { permits, signal });
    const { targets, unknown } = await this.#compare(store, data, { readAt, startedAt, drifts });
    if (targets.length + unknown.length > 0) {
      await drift.putPage(this.storeClientId, { list, page, cycle: startedAt, targets, unknown });
    }
    const hasNext = pagination.hasNext && data.length > 0;
    return this.#save({ cycle: afterPage(cycle, { hasNext, verified: targets.length }) });
  }

  /** Compares products with their listings. Returns the targets with a listing, and the products without one. */
  async #compare(
    store: Store,
    products: readonly Product[],
    {
      readAt,
      startedAt,
      drifts,
    }: { readonly readAt: EpochMs; readonly startedAt: IsoTime; readonly drifts: Map<string, Drift> },
  ) {
    const shownOf = (product: Product) =>
      [...liveByTarget(product, new Date(readAt).toISOString())].filter(([target]) =>
        isListedBy(store.names, target),
      );
    const seen = {
      storeClientId: this.storeClientId,
      shown: new Map(products.flatMap(shownOf)),
      time: { readAt, graceMs: this.#work.settings.graceMs },
      cycleBeganAt: Date.parse(startedAt),
      repairs: store.repair ?? true,
    };
    const targets = await recordLook(this.#work, seen, drifts);
    const listed = new Set(targets);
    const isUnknown = (product: Product) => !shownOf(product).some(([target]) => listed.has(target));
    return { targets, unknown: products.filter(isUnknown).map(namesOfProduct) };
  }

  async #close(store: Store, cycle: Cycle, drifts: Map<string, Drift>): Promise<boolean> {
    const last = await closeCycle(this.#work, store, cycle, drifts);
    if (last !== undefined && (await this.#save({ cycle: undefined, last }))) this.#work.counts.cycles += 1;
    return false;
  }

  /**
   * Stores the progress.
   *
   * @returns `false` if another run works on the store: this run then leaves the store
   */
  async #save(change: Partial<Verification>): Promise<boolean> {
    const before = this.#verification;
    const next = definedOf({ ...before, ...change });
    const written = await this.#work.ports.verifications.update(this.storeClientId, (stored) =>
      isDeepStrictEqual(stored ?? { storeClientId: this.storeClientId }, before) ? next : undefined,
    );
    this.#verification = next;
    return written === next;
  }
}

function namesOfProduct({ id, sku, externalId }: Product): UnknownProduct {
  return { id, ...definedOf({ sku: sku || undefined, externalId: externalId || undefined }) };
}
