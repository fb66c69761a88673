import { type RequestAttempt, withFailedTry } from '../../attempts/model.ts';
import { addCounts } from '../../collections/counts.ts';
import type { Place } from '../../limits/ports.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { mayBeOfRows, meaningOf } from '../../marketplace/failures.ts';
import { attemptEndOf } from '../../requests/rules/attempts.ts';
import type { EpochMs } from '../../time/times.ts';
import { CLOCK_MARGIN_MS, permitWait } from '../../time/waits.ts';
import type { Lane, LaneState } from '../model.ts';
import { afterAnswer, afterSplit, LOOK_AGAIN_MS, Turn } from '../rules/pacing.ts';
import type { LaneContext, LaneCounts, LaneReport, LaneSettings, PushLanePorts } from './lane-context.ts';
import { type Halt, haltOfLimit, haltOfRefusal, LaneExit, type Refusal, reportRefusal } from './lane-exit.ts';
import { type LaneRequest, LaneRows } from './pick-request.ts';
import { sendRequest } from './send-request.ts';
import type { SendResult } from './settle-request.ts';

export interface LanePush {
  readonly storeClientId: string;
  /** After this time no further place is reserved. Requests with a place (at most 2 s later) are still sent and settled. */
  readonly stopAt: EpochMs;
  /** Aborts requests in flight; their rows become unknown. */
  readonly signal: AbortSignal;
  /** Called if the push fails. Otherwise the report has the counts. */
  readonly onFailure?: (counts: LaneCounts) => void;
}

/**
 * Works on the lane of one store for a bounded time. Takes its lease and sends waiting values in the order of P5, with several
 * requests in flight and no target in two of them. Ends when no value is due, the time is over, other lanes wait, or the
 * marketplace asks to wait. If the lane must wait, it sends a delayed ticket; the message does not fail.
 */
export async function pushLane(
  ports: PushLanePorts,
  settings: LaneSettings,
  push: LanePush,
): Promise<LaneReport> {
  const { storeClientId } = push;
  const nothing = { requests: 0, rows: 0, rejections: {}, leaseExpired: false };
  const before = await ports.lanes.get(storeClientId);
  const now = ports.clock.now();
  // Only the ticket of the pause counts; it may come early by the margin. If other tickets were handled, each would send one more.
  if (before?.paused !== undefined && before.paused.until - now > CLOCK_MARGIN_MS) {
    return { ended: 'paused', ...nothing };
  }
  const leaseId = ports.newId();
  const leasedUntil = now + settings.attemptLifetimeMs + permitWait.longestMs;
  const lane = await ports.lanes.acquire(storeClientId, { leaseId, now, until: leasedUntil });
  if (lane === undefined) {
    await ports.lanes.markDirty(storeClientId);
    return { ended: 'held-elsewhere', ...nothing };
  }
  // The store is read after the lease is taken, because a change of its names holds the lease.
  const store = await ports.stores.get(storeClientId);
  if (store?.state !== 'connected') {
    const { oneAtATime, rowsAtMost } = lane;
    const state = { waitsFor: 'connection' as const, oneAtATime, rowsAtMost };
    await ports.lanes.release(storeClientId, { leaseId, state });
    return { ended: 'not-connected', ...nothing };
  }
  const context: LaneContext = { ports, settings, store, leaseId, leasedUntil, signal: push.signal };
  const leaseExpired = before?.leaseUntil !== undefined && before.leaseUntil <= now;
  const run = new LaneRun(context, push.stopAt, lane, { ...nothing, leaseExpired });
  try {
    return await run.drain();
  } catch (error) {
    push.onFailure?.(run.counts);
    throw error;
  }
}

/** A request chooses its rows this long before the time of its place. ../../limits/README.md has the steps before and after it. */
const CHOSEN_BEFORE_MS = 200;

/** The work of one holder of a lane. */
class LaneRun {
  readonly #context: LaneContext;
  readonly #exit: LaneExit;
  readonly #turn: Turn;
  readonly #rows: LaneRows;
  readonly #inFlight = new Set<Promise<unknown>>();
  /** Reserved places without a request. */
  #places = 0;
  #state: LaneState;
  #halt: Halt | undefined;
  #counts: LaneCounts;

  /** `lane`: as read when the lease was taken. */
  constructor(context: LaneContext, stopAt: EpochMs, lane: Lane, counts: LaneCounts) {
    this.#context = context;
    this.#exit = new LaneExit(context, lane);
    this.#rows = new LaneRows(context, lane.waitsFor === 'release');
    const { clock, random } = context.ports;
    this.#turn = new Turn(clock.now(), stopAt, random(), context.settings);
    const { oneAtATime, rowsAtMost, tries } = lane;
    this.#state = { oneAtATime, rowsAtMost, tries };
    this.#counts = counts;
  }

  /** Sends until no row is due, nothing may be sent, or the turn is over. Then releases the lease. */
  async drain(): Promise<LaneReport> {
    for (;;) {
      await this.#sendWhatIsDue();
      const waitsFor = this.#rows.pricesHeld ? ('release' as const) : undefined;
      const work = { done: this.#counts, state: { ...this.#state, waitsFor } };
      // A ticket continues the lane after the other lanes.
      if (!this.#mayBegin) this.#halt ??= { reason: 'turn-over', waitMs: 0 };
      if (this.#halt !== undefined) return this.#exit.halted(this.#halt, work);
      const report = await this.#exit.drained(work);
      if (report !== undefined) return report;
    }
  }

  /** The counts so far. */
  get counts(): LaneCounts {
    return this.#counts;
  }

  get #mayBegin(): boolean {
    return this.#halt === undefined && !this.#turn.isOver(this.#context.ports.clock.now());
  }

  /** How many places to reserve now: several if more rows are due, and only one while outcomes are unknown. */
  get #placesToTake(): number {
    if (!this.#mayBegin) return 0;
    if (this.#state.oneAtATime) return this.#inFlight.size === 0 ? 1 : 0;
    const first = this.#places === 0 ? 1 : 0;
    if (!this.#rows.isMoreDue) return first;
    return Math.max(first, this.#turn.placesAhead(this.#context.ports.clock.now()));
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
    const { clock, limiter } = this.#context.ports;
    // Read warehouses before reserving a place: the time of the place could pass during the read.
    if (this.#rows.needsWarehouses && !(await this.#loadWarehouses())) return false;
    // A hold may end at any time. Then this holder sends the held prices.
    if (this.#rows.pricesHeld) await this.#rows.readHold();
    if (!(await this.#rows.isAnythingDue())) return false;
    const until = clock.now() + permitWait.longestMs;
    const place = await limiter.reserve({ until, preparationMs: CHOSEN_BEFORE_MS, heedsStop: true });
    if ('reason' in place) {
      this.#halt ??= haltOfLimit(place, clock.now());
      return false;
    }
    this.#turn.noteTaken(place.at, clock.now() + CHOSEN_BEFORE_MS);
    this.#places += 1;
    const sending: Promise<unknown> = this.#sendAt(place)
      .catch(this.#fail)
      .finally(() => this.#inFlight.delete(sending));
    this.#inFlight.add(sending);
    return true;
  }

  /** Sends a request at the place. Gives the place back if no request was sent. */
  async #sendAt(place: Place): Promise<void> {
    const { clock } = this.#context.ports;
    try {
      await clock.sleep(Math.max(0, place.at - CHOSEN_BEFORE_MS - clock.now()));
      const request = await this.#next().finally(() => {
        this.#places -= 1;
      });
      if (request !== undefined) await this.#send(request, place);
    } finally {
      await place.giveBack();
    }
  }

  async #next(): Promise<LaneRequest | undefined> {
    if (this.#halt !== undefined) return undefined;
    return this.#rows.next(this.#rowsPerRequest);
  }

  async #send(request: LaneRequest, place: Place): Promise<void> {
    const wasAlone = this.#state.oneAtATime === true;
    const result = await sendRequest(this.#context, request, place, this.#rows);
    if ('attempt' in result) this.#noteFailed(result.attempt);
    await this.#take(result, request.rows.length, wasAlone);
    // Skip this after a failure: the outcome is not stored, so the rows would be chosen again.
    this.#rows.end(request);
  }

  #noteFailed(attempt: RequestAttempt): void {
    this.#state = { ...this.#state, tries: withFailedTry(this.#state.tries, attempt) };
  }

  get #rowsPerRequest(): number {
    const { itemsPerRequest } = this.#context.settings;
    return Math.min(itemsPerRequest, this.#state.rowsAtMost ?? itemsPerRequest);
  }

  /** Applies the result of a request. `wasAlone`: whether requests were sent one at a time, as the last outcome was unknown. */
  async #take(result: SendResult, rows: number, wasAlone: boolean): Promise<void> {
    const { settings } = this.#context;
    if (result.verdict === 'not-sent') return;
    const { requests } = this.#counts;
    this.#counts = { ...this.#counts, requests: requests + 1, rows: this.#counts.rows + rows };
    if (result.verdict === 'done') {
      this.#state = afterAnswer(this.#state, rows, settings.itemsPerRequest);
      const rejections = { ...this.#counts.rejections };
      addCounts(rejections, result.rejections);
      this.#counts = { ...this.#counts, rejections };
    } else if (result.verdict === 'rows') {
      this.#state = afterSplit(this.#state, rows);
    } else if (result.verdict === 'unknown') {
      // The outcomes of two requests in a row are unknown: this store must not delay other stores.
      if (wasAlone) this.#halt ??= { reason: 'paused', waitMs: settings.attemptLifetimeMs };
      // One of the rows may be the reason.
      this.#state = { ...afterSplit(this.#state, rows), oneAtATime: true };
    } else {
      // One of the rows may be the reason.
      if (result.verdict === 'not-now' && mayBeOfRows(result.error))
        this.#state = afterSplit(this.#state, rows);
      await this.#takeRefusal(result);
    }
  }

  async #takeRefusal(refusal: Refusal): Promise<void> {
    const { code, message, requestId } = refusal.error;
    const first = { code, message, ...(requestId && { requestId }) };
    this.#counts = { refusal: first, ...this.#counts };
    this.#halt ??= haltOfRefusal(refusal, this.#context.ports.random);
    await reportRefusal(this.#context, refusal);
  }

  /** Reads the store's warehouses. Returns `false` if they can't be read now. */
  async #loadWarehouses(): Promise<boolean> {
    const { ports, store, signal } = this.#context;
    try {
      const { data } = await ports.marketplace.listWarehouses(store, { signal });
      this.#rows.warehouses = data.flatMap(({ clientId }) => clientId ?? []);
      this.#rows.needsWarehouses = false;
      return true;
    } catch (error) {
      if (!(error instanceof MarketplaceError)) throw error;
      this.#noteFailed({ at: new Date(ports.clock.now()).toISOString(), ...attemptEndOf(error) });
      const verdict = meaningOf(error);
      // A read has no rows that could be unknown or at fault.
      const isOfRows = verdict === 'unknown' || verdict === 'rows';
      await this.#takeRefusal({ error, verdict: isOfRows ? 'not-now' : verdict });
      return false;
    }
  }
}
