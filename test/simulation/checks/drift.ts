import { type Listing, type RegisterName, registerEntries } from '../../../shared/listings/model.ts';
import type { Simulation } from '../engine/simulation.ts';
import { type CatalogStore, placeOf } from '../world/catalog.ts';
import { acceptedPlaces, type InjectedDrift } from '../world/drift/drifts.ts';
import type { LiveCatalog } from '../world/drift/live-catalog.ts';
import type { Finding, Verifier } from '../world/drift/verifier.ts';
import type { World } from '../world/world.ts';
import { contestFault, findingsOf } from './drift-findings.ts';
import { pendingRegisters } from './listing-view.ts';

/** Milliseconds, also where a value is fought for. */
const REPAIRED_WITHIN_MS = 2 * 3_600_000;

/** What must hold of the verifier: what it finds, what it repairs, and what it leaves alone. */
export class DriftChecks {
  readonly #simulation: Simulation;
  readonly #world: World;
  readonly #live: LiveCatalog;
  readonly #verifier: Verifier;
  /** Epoch ms: since then nothing but the verifier, and someone who fights it, changes anything. */
  quietAt = Number.POSITIVE_INFINITY;
  /** Drift that a whole cycle must find. */
  readonly #injected: InjectedDrift[] = [];
  fought: InjectedDrift | undefined;
  /** Contests that a person ended: each begins again. */
  endedContests = 0;

  constructor(world: World, live: LiveCatalog, verifier: Verifier) {
    this.#simulation = world.simulation;
    this.#world = world;
    this.#live = live;
    this.#verifier = verifier;
  }

  /**
   * Called right after the injection: drift of a register that has drifted already is no news. Neither is one beside an older
   * drift: a late read that shows the older one alone repairs both, as the prices of a product are sent together.
   *
   * @param differing the places that differed before the injection
   */
  mustFind(injected: InjectedDrift, differing: readonly string[]): void {
    const { storeClientId, target, register } = injected;
    const isOpen = this.#recordOf(storeClientId, target)?.registers[register]?.open !== undefined;
    const isBesideOlder = differing.some((place) => place.startsWith(placeOf(storeClientId, target, '')));
    if (!isOpen && !isBesideOlder) this.#injected.push(injected);
  }

  /**
   * No product is missing that is there. One by externalId that no read has shown may have moved from page to page in two cycles:
   * the last, and the present one.
   */
  onPublished({ event: { detailType, detail } }: Finding): void {
    if (detailType !== 'listing.missing' || !this.#live.hasProduct(detail.storeClientId, detail.target))
      return;
    const { storeClientId, target } = detail;
    const { last } = this.#verifier.verifications.read(storeClientId)?.value ?? {};
    const [listing] = this.#world.listingsOf(storeClientId, [target]);
    const wasDue = Object.values(listing?.settled ?? {}).every(
      (one) => last && one && one.at < last.startedAt,
    );
    if (!this.#isNeverShown(listing) || !wasDue) this.#violate(`misses ${target}, which is there`);
  }

  /** Without any mistake at the marketplace, nothing may be found but that it never had a product. */
  checkHonest(): void {
    const finding = this.#verifier.findings.find(
      ({ event: { detailType } }) => detailType.startsWith('listing.') && detailType !== 'listing.missing',
    );
    if (finding !== undefined) this.#violate(`found what is not so: ${JSON.stringify(finding.event)}`);
  }

  /** A whole cycle after the trouble has found every difference. */
  checkFound(storeClientId: string): void {
    for (const { target, register, at, place, ...own } of this.#injected) {
      if (own.storeClientId !== storeClientId || this.#live.isRemoved(storeClientId, target)) continue;
      if (this.#isAlwaysElsewhere(storeClientId, target)) continue;
      const isFound = findingsOf(this.#verifier, 'listing.drifted', 'listing.contested').some(
        (finding) => finding.at >= at && finding.target === target && finding.registers.includes(register),
      );
      if (!isFound) this.#violate(`did not find that someone else has set ${place}`);
    }
    for (const listing of this.#listings(storeClientId)) {
      const isGone = this.#live.isRemoved(storeClientId, listing.target) && this.#isTaken(listing);
      const record = this.#recordOf(storeClientId, listing.target);
      if (isGone && record?.missingSince === undefined && !this.#isNeverShown(listing))
        this.#violate(`did not miss ${listing.target}`);
    }
  }

  /** Drift that was found ends before the next cycle would come to it. */
  checkTimely(): void {
    for (const { storeClientId, target, registers } of this.#verifier.drifts.all()) {
      const { repair = true } = this.#world.tables.stores.get(storeClientId) ?? {};
      if (!repair || this.#live.isRemoved(storeClientId, target)) continue;
      if (this.#isAlwaysElsewhere(storeClientId, target)) continue;
      for (const register of Object.values(registers)) {
        if (register?.open === undefined || register.contestedSince !== undefined) continue;
        const { rearmedAt } = register.open;
        // Its repair was off when it was found: the next cycle repairs it.
        if (rearmedAt === undefined) continue;
        const since = Math.max(rearmedAt, this.quietAt);
        if (this.#simulation.now > since + REPAIRED_WITHIN_MS)
          this.#violate(`does not look at ${target} again`);
      }
    }
  }

  /** Whether all that is to be repaired is. */
  get isRepaired(): boolean {
    const { fought } = this;
    if (fought !== undefined && !this.#isExempt(fought) && !this.#isLongContested(fought)) return false;
    return this.differing().length === 0 && this.#openOfRepairedStores().length === 0;
  }

  /** Why `isRepaired` does not hold. */
  describeOpen(): string {
    const verified = [...this.#verifier.verifications.all()].map(({ storeClientId, last }) => [
      storeClientId,
      last?.startedAt,
    ]);
    return JSON.stringify({ verified, differing: this.differing(), open: this.#openOfRepairedStores() });
  }

  finish(): void {
    this.#checkContested();
    this.#checkEnds();
    this.#checkLast();
    this.#checkUnrepaired();
  }

  /** Where drift is not repaired, it stays. */
  #checkUnrepaired(): void {
    for (const { storeClientId, target, place, wanted } of this.#injected) {
      const { repair = true } = this.#world.tables.stores.get(storeClientId) ?? {};
      if (repair || this.#live.isRemoved(storeClientId, target)) continue;
      if (this.#live.values.get(place) === wanted) this.#violate(`repaired ${place} although it is off`);
    }
  }

  /** Whether a place may be other than wanted, as the verifier has to leave it. */
  isLeftAlone(storeClientId: string, target: string, register: RegisterName): boolean {
    const { repair = true } = this.#world.tables.stores.get(storeClientId) ?? {};
    const known = this.#recordOf(storeClientId, target)?.registers[register];
    const isGone = this.#live.isRemoved(storeClientId, target);
    if (this.#isAlwaysElsewhere(storeClientId, target)) return true;
    return isGone || known?.contestedSince !== undefined || (!repair && known?.open !== undefined);
  }

  #isExempt({ storeClientId, target }: InjectedDrift): boolean {
    return (
      this.#world.tables.stores.get(storeClientId)?.repair === false ||
      this.#live.isRemoved(storeClientId, target) ||
      this.#isAlwaysElsewhere(storeClientId, target)
    );
  }

  /** Places that do not have their accepted value. */
  differing(): string[] {
    return this.#world.stores.flatMap((store) =>
      this.#listings(store.storeClientId)
        .flatMap((listing) => acceptedPlaces(store, listing).map((place) => ({ ...place, listing })))
        .filter(
          ({ place, register, listing }) => this.#live.values.get(place) !== listing.desired[register]?.value,
        )
        .filter(({ storeClientId, target, register }) => !this.isLeftAlone(storeClientId, target, register))
        .map(({ place }) => place),
    );
  }

  #openOfRepairedStores(): string[] {
    return this.#verifier.drifts.all().flatMap(({ storeClientId, target, registers }) => {
      if (this.#world.tables.stores.get(storeClientId)?.repair === false) return [];
      const open = Object.values(registers).some((one) => one?.open && one.contestedSince === undefined);
      const isShown =
        !this.#live.isRemoved(storeClientId, target) && !this.#isAlwaysElsewhere(storeClientId, target);
      return open && isShown ? [`${storeClientId} ${target}`] : [];
    });
  }

  /** A value that others keep changing is reported as contested after three repairs, and left alone. */
  #checkContested(): void {
    const { fought } = this;
    if (fought === undefined || this.#isExempt(fought)) return;
    if (!this.isContested(fought)) this.#violate(`fights for ${fought.place}`);
    const fault = contestFault(this.#verifier, fought, this.endedContests);
    if (fault !== undefined) this.#violate(fault);
  }

  /** Whether a whole cycle has begun and ended since. */
  #isLongContested({ storeClientId, target, register }: InjectedDrift): boolean {
    const { contestedSince } = this.#recordOf(storeClientId, target)?.registers[register] ?? {};
    const { last } = this.#verifier.verifications.read(storeClientId)?.value ?? {};
    return contestedSince !== undefined && last !== undefined && last.startedAt > contestedSince;
  }

  isContested({ storeClientId, target, register }: InjectedDrift): boolean {
    return this.#recordOf(storeClientId, target)?.registers[register]?.contestedSince !== undefined;
  }

  /** What was reported as drifted is repaired, contested, still open, or given up; what is missing is reported once. */
  #checkEnds(): void {
    const all = findingsOf(this.#verifier, 'listing.drifted', 'listing.repaired', 'listing.contested');
    for (const { storeClientId, target, registers } of findingsOf(this.#verifier, 'listing.drifted')) {
      const listing = this.#listings(storeClientId).find((one) => one.target === target);
      if (listing === undefined || this.#live.isRemoved(storeClientId, target)) continue;
      for (const register of registers) {
        const last = all.findLast(
          (one) =>
            one.target === target && one.storeClientId === storeClientId && one.registers.includes(register),
        );
        const isOpen = this.#recordOf(storeClientId, target)?.registers[register]?.open !== undefined;
        const { value, outcome } = listing.settled[register] ?? {};
        // A warehouse's own value may have been replaced by a global one meanwhile.
        const isAccepted = outcome === 'accepted' && value !== 0 && value === last?.wanted[register];
        // A run that was killed before it recorded a drift has published it: no later run knows of it.
        const isKnown = this.#verifier.recorded.has(
          `${storeClientId} ${target} ${register} ${last?.since[register]}`,
        );
        if (last?.kind === 'listing.drifted' && !isOpen && isAccepted && isKnown) {
          this.#violate(`the drift of ${target} ${register} ended without an event`);
        }
      }
    }
    for (const { at, storeClientId, target, registers } of findingsOf(this.#verifier, 'listing.repaired')) {
      const before = findingsOf(this.#verifier, 'listing.drifted').filter(
        (one) => one.at <= at && one.storeClientId === storeClientId && one.target === target,
      );
      const isAnnounced = registers.every((name) => before.some((one) => one.registers.includes(name)));
      if (!isAnnounced) this.#violate(`repaired ${target} without a word`);
    }
    const missed = findingsOf(this.#verifier, 'listing.missing').filter(({ at }) => at > this.quietAt);
    const targets = missed.map(({ storeClientId, target }) => `${storeClientId} ${target}`);
    if (this.#verifier.startsTwice === 0 && new Set(targets).size < targets.length)
      this.#violate(`reported more than once: ${targets}`);
  }

  /** The last cycle of each store counts what there is. */
  #checkLast(): void {
    for (const store of this.#world.stores) {
      const { last } = this.#verifier.verifications.read(store.storeClientId)?.value ?? {};
      const listings = this.#listings(store.storeClientId);
      const known = new Set(listings.map(({ target }) => target));
      const products = this.#live.productsOf(store).map(({ target }) => target);
      const missing = listings.filter(
        ({ target }) => this.#recordOf(store.storeClientId, target)?.missingSince,
      );
      const wanted = {
        listings: listings.length,
        // A product that is on no page is only looked for if it has a listing, and none of its values waits.
        ...(!this.#live.isUnsorted && {
          verified: products.filter((target) => known.has(target)).length,
          unknownProducts:
            this.#live.othersOf(store.storeClientId).length +
            products.filter((target) => !known.has(target)).length,
        }),
        // One that no read had shown is missed in the second cycle, and may have been shown since.
        ...(!listings.some((one) => this.#isNeverShown(one, last?.endedAt)) && {
          missingProducts: missing.length,
        }),
      };
      for (const [name, count] of Object.entries(wanted)) {
        const counted = last?.[name as 'listings'];
        if (counted !== count)
          this.#violate(`counted ${counted} ${name} of ${count} in ${store.storeClientId}`);
      }
    }
  }

  /** Whether the marketplace has taken a newest value, and nothing waits. */
  #isTaken(listing: Listing): boolean {
    const isAccepted = registerEntries(listing.sent).some(([name, { value, version }]) => {
      const settled = listing.settled[name];
      return settled?.outcome === 'accepted' && settled.value === value && settled.version === version;
    });
    return isAccepted && pendingRegisters(listing).length === 0;
  }

  /** Whether no read may show the product of a listing, since products move from page to page all the time. */
  #isAlwaysElsewhere(storeClientId: string, target: string): boolean {
    return this.#live.isUnsorted && this.#isNeverShown(this.#world.listingsOf(storeClientId, [target])[0]);
  }

  /** Whether the product of a listing can't be read alone. `until`: ISO 8601, as of then; default: now. */
  #isNeverShown(listing: Listing | undefined, until = '9999'): boolean {
    const { productId, at = '' } = listing?.live ?? {};
    return listing?.target.startsWith('externalId:') === true && (productId === undefined || at > until);
  }

  #recordOf(storeClientId: string, target: string) {
    return this.#verifier.drifts.read(`${storeClientId} ${target}`)?.value;
  }

  #listings(storeClientId: string): Listing[] {
    return this.#world.tables.listings.all().filter((listing) => listing.storeClientId === storeClientId);
  }

  #violate(message: string): void {
    this.#simulation.violate(`the verifier ${message}`);
  }
}

/** Whether every store's cycle that began after `time` has ended. */
export function storesVerifiedSince(
  stores: readonly CatalogStore[],
  { verifications }: Pick<Verifier, 'verifications'>,
  time: number,
): string[] {
  return stores.flatMap(({ storeClientId }) => {
    const { last } = verifications.read(storeClientId)?.value ?? {};
    return last !== undefined && Date.parse(last.startedAt) >= time ? [storeClientId] : [];
  });
}
