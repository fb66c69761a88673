import { type Listing, type RegisterName, registerEntries } from '../../../shared/listings/model.ts';
import type { Simulation } from '../engine/simulation.ts';
import { placeOf } from '../world/catalog.ts';
import { acceptedPlaces, type InjectedDrift } from '../world/drift/drifts.ts';
import type { LiveCatalog } from '../world/drift/live-catalog.ts';
import type { Finding, Verifier } from '../world/drift/verifier.ts';
import type { World } from '../world/world.ts';
import { contestFault, findingsOf } from './drift-findings.ts';
import { pendingRegisters } from './listing-view.ts';

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

  /** No product is missing that is there, unless products move from page to page all the time. */
  onPublished({ event: { detailType, detail } }: Finding): void {
    if (detailType !== 'listing.missing' || !this.#live.hasProduct(detail.storeClientId, detail.target))
      return;
    if (!this.#live.isUnsorted && !this.#live.isBusy)
      this.#violate(`misses ${detail.target}, which is there`);
  }

  /** Without any mistake at the marketplace, nothing may be found but that it never had a product. */
  checkHonest(): void {
    const finding = this.#verifier.findings.find(
      ({ event: { detailType } }) => detailType.startsWith('listing.') && detailType !== 'listing.missing',
    );
    if (finding !== undefined) this.#violate(`found what is not so: ${JSON.stringify(finding.event)}`);
  }

  /** A whole cycle after the trouble has found every difference, unless it missed a product that moved meanwhile. */
  checkFound(storeClientId: string): void {
    if (this.#live.isUnsorted) return;
    for (const { target, register, at, place, ...own } of this.#injected) {
      if (own.storeClientId !== storeClientId || this.#live.isRemoved(storeClientId, target)) continue;
      const isFound = findingsOf(this.#verifier, 'listing.drifted', 'listing.contested').some(
        (finding) => finding.at >= at && finding.target === target && finding.registers.includes(register),
      );
      if (!isFound) this.#violate(`did not find that someone else has set ${place}`);
    }
  }

  /** Two whole cycles after the trouble have missed every product that is gone. */
  checkMissed(storeClientId: string): void {
    for (const listing of this.#listings(storeClientId)) {
      const isGone = this.#live.isRemoved(storeClientId, listing.target) && this.#isTaken(listing);
      const record = this.#recordOf(storeClientId, listing.target);
      if (isGone && record?.missingSince === undefined) this.#violate(`did not miss ${listing.target}`);
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
    return isGone || known?.contestedSince !== undefined || (!repair && known?.open !== undefined);
  }

  #isExempt({ storeClientId, target }: InjectedDrift): boolean {
    return (
      this.#world.tables.stores.get(storeClientId)?.repair === false ||
      this.#live.isRemoved(storeClientId, target)
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
      return open && !this.#live.isRemoved(storeClientId, target) ? [`${storeClientId} ${target}`] : [];
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
        if (last?.kind === 'listing.drifted' && !isOpen && isAccepted && isKnown && !this.#live.isUnsorted) {
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
    if (!this.#live.isUnsorted && this.#verifier.startsTwice === 0 && new Set(targets).size < targets.length)
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
        ...(!this.#live.isUnsorted && {
          missingProducts: missing.length,
          verified: products.filter((target) => known.has(target)).length,
          unknownProducts:
            this.#live.othersOf(store.storeClientId).length +
            products.filter((target) => !known.has(target)).length,
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
