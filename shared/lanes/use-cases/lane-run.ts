import { MarketplaceError } from '../../marketplace/errors.ts';
import { mayBeOfRows, meaningOf } from '../../marketplace/failures.ts';
import type { Permits, Place } from '../../marketplace/options.ts';
import type { Lane, LaneState } from '../model.ts';
import { afterAnswer, afterSplit, Turn } from '../rules/pacing.ts';
import type { LaneContext, LaneCounts, LaneReport } from './lane-context.ts';
import { type Halt, haltOfLimit, haltOfRefusal, LaneExit, type Refusal, reportRefusal } from './lane-exit.ts';
import {
  Chooser,
  isAnythingDue,
  type LaneRequest,
  type LookQuery,
  type Picked,
  pickRequests,
} from './pick-request.ts';
import { PREPARATION_MS, sendRequest } from './send-request.ts';
import type { SendResult } from './settle-request.ts';

/** Milliseconds between two looks for new work while requests are in flight. */
const LOOK_AGAIN_MS = 250;
/** Longest wait for a place or a permit, in milliseconds. After it the lane continues by a ticket. */
const LONGEST_WAIT_MS = 2_000;
/** Choices of rows for one place: what is more urgent may leave with a later place already. */
const MOST_CHOICES = 2;
/** Milliseconds after which a lane that got no permit continues. */
const NO_PERMIT_PAUSE_MS = 1_000;

const NOTHING: Picked = { requests: [], isMoreDue: false, needsWarehouses: false };

/** The work of one holder of a lane. */
export class LaneRun {
  readonly #context: LaneContext;
  readonly #exit: LaneExit;
  readonly #permits: Permits;
  readonly #turn: Turn;
  readonly #inFlight = new Set<Promise<unknown>>();
  /** Targets of requests that are chosen or in flight. */
  readonly #busy = new Set<string>();
  /** Those of requests in flight. */
  readonly #sent = new Set<string>();
  /** Reserved places without a request. */
  #places = 0;
  readonly #chooser = new Chooser((requests) => this.#pick(requests));
  /** Whether more rows were due than were chosen last. */
  #isMoreDue = false;
  /** Epoch ms since when the lane got no permit. */
  #withoutPermitSince: number | undefined;
  #state: LaneState;
  #warehouses: readonly string[] | undefined;
  #needsWarehouses = false;
  #halt: Halt | undefined;
  #refusal: LaneReport['refusal'];
  readonly #sum = { requests: 0, rows: 0 };
  readonly #rejections: Record<string, number> = {};

  /** `lane`: as read when the lease was taken. */
  constructor(context: LaneContext, stopAt: number, lane: Lane) {
    this.#context = context;
    this.#exit = new LaneExit(context, lane);
    this.#permits = context.ports.limiter.permits({ heedsStop: true });
    const { clock, random } = context.ports;
    this.#turn = new Turn(clock.now(), stopAt, random(), context.settings);
    this.#state = { oneAtATime: lane.oneAtATime, rowsAtMost: lane.rowsAtMost };
  }

  /** Sends until no row is due, none may be sent, or the time of the lane is over. Then releases the lease. */
  async drain(): Promise<LaneReport> {
    // Before rows are chosen: while lanes are stopped, the one request per minute must not be for a held price.
    await this.#readHold();
    for (;;) {
      await this.#sendWhatIsDue();
      const refusal = this.#refusal && { refusal: this.#refusal };
      const work = { done: { ...this.counts, ...refusal }, state: this.#state };
      // The lane continues after the other lanes.
      if (!this.#mayBegin) this.#halt ??= { reason: 'turn-over', untilMs: 0 };
      if (this.#halt !== undefined) return this.#exit.halted(this.#halt, work);
      if (await this.#exit.release()) return this.#exit.drained(work);
    }
  }

  /** The counts so far. */
  get counts(): LaneCounts {
    return { ...this.#sum, rejections: this.#rejections, leaseExpired: this.#context.leaseExpired };
  }

  get #mayBegin(): boolean {
    return this.#halt === undefined && !this.#turn.isOver(this.#context.ports.clock.now());
  }

  /** How many places to reserve now: further ones if more rows are due, and only one while outcomes are unknown. */
  get #placesToTake(): number {
    if (!this.#mayBegin) return 0;
    const { requestsPerSecond, requestsInFlight } = this.#context.settings;
    if (this.#state.oneAtATime) return this.#inFlight.size === 0 ? 1 : 0;
    if (this.#inFlight.size >= requestsInFlight + Math.ceil(requestsPerSecond)) return 0;
    const first = this.#places === 0 ? 1 : 0;
    return this.#isMoreDue ? Math.max(first, this.#turn.placesAhead(this.#context.ports.clock.now())) : first;
  }

  /** Returns when no request may begin and none is in flight. */
  async #sendWhatIsDue(): Promise<void> {
    for (;;) {
      let inFlightBefore = 0;
      for (let length = this.#placesToTake; length > 0; length = this.#placesToTake) {
        inFlightBefore = this.#inFlight.size;
        const begun = await Promise.all(Array.from({ length }, () => this.#beginNext().catch(this.#fail)));
        if (!begun.includes(true)) break;
      }
      // A request that ended during the last look may allow another one.
      if (this.#inFlight.size === 0 && inFlightBefore > 0 && this.#mayBegin) continue;
      if (this.#inFlight.size === 0) return;
      await this.#untilSomethingMayHaveChanged();
    }
  }

  /** A failure ends the work only after all requests in flight have ended. */
  readonly #fail = (error: unknown): false => {
    this.#halt = { reason: 'failure', error };
    return false;
  };

  /** Waits for the end of a request, at most until the next look for new work. */
  async #untilSomethingMayHaveChanged(): Promise<void> {
    const over = new AbortController();
    const pause = this.#context.ports.clock.sleep(LOOK_AGAIN_MS, over.signal).catch(() => undefined);
    await Promise.race([pause, ...this.#inFlight]);
    over.abort();
  }

  /** Reserves a place, and chooses a request when its time comes. Returns `false` if no request can be sent now. */
  async #beginNext(): Promise<boolean> {
    const { clock, listings } = this.#context.ports;
    // Before a place is reserved: its time could pass during the read.
    if (this.#needsWarehouses && !(await this.#loadWarehouses())) return false;
    // A hold may end at any time. This holder then sends the held prices.
    if (this.#pricesHeld) await this.#readHold();
    if (!this.#isMoreDue && !(await isAnythingDue(listings, this.#look()))) return false;
    const now = clock.now();
    this.#withoutPermitSince ??= now;
    const until = now + LONGEST_WAIT_MS;
    const place = await this.#permits.reserve({ until, preparationMs: PREPARATION_MS });
    if ('reason' in place) {
      this.#halt ??= haltOfLimit(place, clock.now());
      return false;
    }
    this.#turn.noteTaken(place, clock.now());
    this.#places += 1;
    const sending: Promise<unknown> = this.#sendAt(place)
      .catch(this.#fail)
      .finally(() => this.#inFlight.delete(sending));
    this.#inFlight.add(sending);
    return true;
  }

  async #sendAt(place: Place): Promise<void> {
    const { clock } = this.#context.ports;
    await clock.sleep(Math.max(0, place.prepareAt - clock.now()));
    let holdsPlace = true;
    try {
      let request = await this.#chooser.choose().finally(() => {
        this.#places -= 1;
      });
      for (let choices = 1; request !== undefined; choices += 1) {
        holdsPlace = false;
        holdsPlace = (await this.#send(request, place)) === 'withdrawn';
        // More urgent values came in. After the time of the place, another request would be too close to the next place.
        if (!holdsPlace || choices === MOST_CHOICES || clock.now() >= place.at) return;
        request = await this.#chooser.choose();
      }
    } finally {
      if (holdsPlace) await place.giveBack();
    }
  }

  async #send(request: LaneRequest, place: Place): Promise<SendResult['verdict']> {
    const targets = request.rows.map(({ listing }) => listing.target);
    const rows = targets.length;
    const wasAlone = this.#state.oneAtATime === true;
    const result = await sendRequest(this.#context, request, {
      place,
      sent: this.#sent,
      onSend: () => {
        for (const target of targets) this.#sent.add(target);
        this.#withoutPermitSince = undefined;
        this.#sum.requests += 1;
        this.#sum.rows += rows;
      },
    });
    await this.#take(result, rows, wasAlone);
    // Not after a failure: without a stored outcome the rows look as if they had not been sent.
    for (const target of targets) {
      this.#busy.delete(target);
      this.#sent.delete(target);
    }
    return result.verdict;
  }

  async #pick(requests: number): Promise<Picked> {
    if (this.#halt !== undefined) return NOTHING;
    const picked = await pickRequests(this.#context.ports.listings, {
      ...this.#look(),
      rowsPerRequest: this.#rowsPerRequest,
      requests,
      warehouses: this.#warehouses,
    });
    this.#isMoreDue = picked.isMoreDue;
    this.#needsWarehouses = picked.needsWarehouses;
    for (const { rows } of picked.requests) for (const { listing } of rows) this.#busy.add(listing.target);
    return picked;
  }

  get #rowsPerRequest(): number {
    const { itemsPerRequest } = this.#context.settings;
    return Math.min(itemsPerRequest, this.#state.rowsAtMost ?? itemsPerRequest);
  }

  get #pricesHeld() {
    return this.#state.waitsFor === 'release';
  }

  async #readHold(): Promise<void> {
    const guard = await this.#context.ports.guards.get(this.#context.store.storeClientId);
    this.#state = { ...this.#state, waitsFor: guard?.hold === undefined ? undefined : 'release' };
  }

  #look(): LookQuery {
    const { ports, store } = this.#context;
    return {
      storeClientId: store.storeClientId,
      products: store.names.products,
      now: ports.clock.now(),
      busy: this.#busy,
      pricesHeld: this.#pricesHeld,
    };
  }

  /** Applies the result of a request. `wasAlone`: it was sent while outcomes were unknown. */
  async #take(result: SendResult, rows: number, wasAlone: boolean): Promise<void> {
    const { ports, settings } = this.#context;
    if (result.verdict === 'done') {
      this.#state = afterAnswer(this.#state, rows, settings.itemsPerRequest);
      for (const [code, count] of Object.entries(result.rejections)) {
        this.#rejections[code] = (this.#rejections[code] ?? 0) + count;
      }
    } else if (result.verdict === 'rows') {
      this.#state = afterSplit(this.#state, rows);
    } else if (result.verdict === 'unknown') {
      // The store does not answer: it must not delay other stores.
      if (wasAlone) this.#halt ??= { reason: 'paused', untilMs: settings.attemptLifetimeMs };
      // A row of it may be the reason.
      this.#state = { ...afterSplit(this.#state, rows), oneAtATime: true };
    } else if (result.verdict === 'withdrawn') {
      await this.#readHold();
    } else if (result.verdict === 'place-lost') {
      const now = ports.clock.now();
      if (now - (this.#withoutPermitSince ?? now) < LONGEST_WAIT_MS) return;
      this.#halt ??= { reason: 'paused', untilMs: NO_PERMIT_PAUSE_MS * (1 + ports.random()) };
    } else {
      // A row of it may be the reason.
      if (result.verdict === 'not-now' && mayBeOfRows(result.error))
        this.#state = afterSplit(this.#state, rows);
      await this.#takeRefusal(result);
    }
  }

  async #takeRefusal(refusal: Refusal): Promise<void> {
    const { code, message, requestId } = refusal.error;
    this.#refusal ??= { code, message, ...(requestId && { requestId }) };
    this.#halt ??= haltOfRefusal(refusal, this.#context.ports.random);
    const instead = await reportRefusal(this.#context, refusal);
    // A failure stays the reason: a row may not be settled, so the lease must expire.
    if (instead !== undefined && this.#halt.reason !== 'failure') this.#halt = instead;
  }

  /** Reads the store's warehouses. Returns `false` if they can't be read now. */
  async #loadWarehouses(): Promise<boolean> {
    const { ports, store, signal } = this.#context;
    try {
      const { data } = await ports.marketplace.listWarehouses(store, { signal });
      this.#warehouses = data.map(({ clientId }) => clientId);
      this.#needsWarehouses = false;
      this.#withoutPermitSince = undefined;
      return true;
    } catch (error) {
      if (!(error instanceof MarketplaceError)) throw error;
      const verdict = meaningOf(error);
      // A read has no rows that could be unknown or at fault.
      const isOfRows = verdict === 'unknown' || verdict === 'rows';
      await this.#takeRefusal({ error, verdict: isOfRows ? 'not-now' : verdict });
      return false;
    }
  }
}
