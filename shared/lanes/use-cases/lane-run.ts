import type { LimitPermit } from '../../limits/limiter.ts';
import { settleRegisters } from '../../listings/rules/settle-row.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { Lane } from '../model.ts';
import { type ApartGroups, bisected, withoutTargets } from '../rules/apart.ts';
import { verdictOf } from '../rules/read-outcome.ts';
import { describeRefusal, type Halt, haltOfLimit, haltOfRefusal, reportRefusal } from './halt.ts';
import type { LaneContext } from './lane-context.ts';
import { LaneExit } from './lane-exit.ts';
import type { HolderCounts, HolderReport, LaneReport } from './lane-report.ts';
import { Lease } from './lease.ts';
import {
  isAnythingDue,
  type LaneRequest,
  type PickPorts,
  type PickQuery,
  pickRequest,
} from './pick-request.ts';
import { sendRequest } from './send-request.ts';
import type { Refusal, SendResult } from './settle-request.ts';

/** Milliseconds between two looks for new work while requests are in flight. */
const LOOK_AGAIN_MS = 250;
/** Milliseconds to wait for leave at most: well within the lease, so that the lane is not lost over it. */
const LONGEST_WAIT_MS = 10_000;

/** One holder's time with a lane. */
export class LaneRun {
  readonly #context: LaneContext;
  readonly #lease: Lease;
  readonly #exit: LaneExit;
  readonly #stopAt: number;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #busy = new Set<string>();
  #apart: ApartGroups = [];
  #warehouses: readonly string[] | undefined;
  #pricesHeld = false;
  #halt: Halt | undefined;
  #refusal: LaneReport['refusal'];
  readonly #sum = { requests: 0, rows: 0 };
  readonly #rejections: Record<string, number> = {};

  /** `lane`: as it was when the lease was taken. */
  constructor(context: LaneContext, stopAt: number, lane: Lane) {
    this.#context = context;
    this.#lease = new Lease(context, lane.nudges);
    this.#stopAt = stopAt;
    this.#exit = new LaneExit(context, this.#lease, lane.awaits);
  }

  /** Sends until nothing is due, or may be sent, and lets the lane go. */
  async drain(): Promise<HolderReport> {
    // Before anything is chosen: while lanes are stopped there is one try in a minute, not to be spent on a held price.
    await this.#arePricesHeld();
    for (;;) {
      await this.#sendWhatIsDue();
      const done = { ...this.counts, ...(this.#refusal && { refusal: this.#refusal }) };
      if (this.#halt !== undefined) return this.#exit.halted(this.#halt, this.#pricesHeld, done);
      if (this.#context.ports.clock.now() >= this.#stopAt)
        return this.#exit.outOfTime(this.#pricesHeld, done);
      if (await this.#lease.letGo()) return this.#exit.drained(this.#pricesHeld, done);
    }
  }

  /** What was counted until now. */
  get counts(): HolderCounts {
    return { ...this.#sum, rejections: this.#rejections };
  }

  get #mayBegin(): boolean {
    return this.#halt === undefined && this.#context.ports.clock.now() < this.#stopAt;
  }

  /** Returns when nothing more is due, or may begin, and nothing is in flight. */
  async #sendWhatIsDue(): Promise<void> {
    for (;;) {
      let inFlightBefore = 0;
      while (this.#mayBegin && this.#inFlight.size < this.#context.settings.requestsInFlight) {
        inFlightBefore = this.#inFlight.size;
        if (!(await this.#beginNextSafely())) break;
      }
      // What ended during the last look may have let go of more to send.
      if (this.#inFlight.size === 0 && inFlightBefore > 0 && this.#mayBegin) continue;
      if (this.#inFlight.size === 0) return;
      await this.#untilSomethingMayHaveChanged();
    }
  }

  /** What is in flight ends in any case before a failure does. */
  async #beginNextSafely(): Promise<boolean> {
    try {
      return await this.#beginNext();
    } catch (error) {
      this.#halt = { reason: 'failure', error };
      return false;
    }
  }

  /** A request is over, or enough time has passed to look for new work. */
  async #untilSomethingMayHaveChanged(): Promise<void> {
    const over = new AbortController();
    const pause = this.#context.ports.clock.sleep(LOOK_AGAIN_MS, over.signal).catch(() => undefined);
    await Promise.race([pause, ...this.#inFlight]);
    over.abort();
  }

  /**
   * Waits for leave first and picks then, so that what comes in while it waits leaves in its right order. `false` when
   * there is nothing to send now.
   */
  async #beginNext(): Promise<boolean> {
    const { ports, store, signal } = this.#context;
    // A hold may be lifted at any time, and what it held is not to wait for another holder of the lane.
    if (this.#pricesHeld) await this.#arePricesHeld();
    if (!(await isAnythingDue(ports.listings, this.#pick()))) return false;
    const until = Math.min(this.#stopAt, ports.clock.now() + LONGEST_WAIT_MS);
    const { storeClientId } = store;
    const grant = await ports.limiter.acquire({ storeClientId, until, heedsStop: true, signal });
    if (!grant.granted) {
      this.#halt ??= haltOfLimit(grant, ports.clock);
      return false;
    }
    const request = this.#mayBegin ? await pickRequest(this.#pickPorts(), this.#pick()) : undefined;
    if (request === undefined || request === 'warehouses-needed') {
      await grant.permit.release({ unused: true });
      if (request !== undefined) await this.#loadWarehouses();
      return request !== undefined;
    }
    if (request.kind === 'price' && (await this.#arePricesHeld())) {
      await grant.permit.release({ unused: true });
      return true;
    }
    this.#send(request, grant.permit);
    return true;
  }

  /** Asked after the pick: a hold is written before the changes that it holds. */
  async #arePricesHeld(): Promise<boolean> {
    const { ports, store } = this.#context;
    const guard = await ports.guards.get(store.storeClientId);
    this.#pricesHeld = guard?.hold !== undefined;
    return this.#pricesHeld;
  }

  #pick(): PickQuery {
    const { ports, settings, store } = this.#context;
    return {
      storeClientId: store.storeClientId,
      products: store.names.products,
      now: ports.clock.now(),
      itemsPerRequest: settings.itemsPerRequest,
      // As of now: a request that ends while the read is on its way may have been read as if it had never left.
      busy: new Set(this.#busy),
      apart: this.#apart,
      pricesHeld: this.#pricesHeld,
      warehouses: this.#warehouses,
    };
  }

  #pickPorts(): PickPorts {
    const { listings, clock } = this.#context.ports;
    return {
      listings,
      settleUnsent: async ({ storeClientId, target }, registers) => {
        await listings.update(
          storeClientId,
          target,
          (current) => current && settleRegisters(current, registers, { outcome: 'accepted' }, clock.now()),
        );
      },
    };
  }

  #send(request: LaneRequest, permit: LimitPermit): void {
    const targets = request.rows.map(({ listing }) => listing.target);
    for (const target of targets) this.#busy.add(target);
    const sending = sendRequest(this.#context, request, permit, {
      inFlight: this.#busy,
      pricesHeld: this.#pricesHeld,
      onLeaving: () => {
        this.#sum.requests += 1;
        this.#sum.rows += request.rows.length;
      },
    })
      .then((result) => this.#take(result, targets))
      .catch((error: unknown) => {
        this.#halt = { reason: 'failure', error };
      })
      .finally(() => {
        this.#inFlight.delete(sending);
        for (const target of targets) this.#busy.delete(target);
      });
    this.#inFlight.add(sending);
  }

  async #take(result: SendResult, targets: readonly string[]): Promise<void> {
    if (result.verdict === 'done') this.#apart = withoutTargets(this.#apart, targets);
    if (result.verdict === 'bisect') this.#apart = bisected(this.#apart, targets);
    if (result.verdict === 'done') {
      for (const [code, count] of Object.entries(result.rejections)) {
        this.#rejections[code] = (this.#rejections[code] ?? 0) + count;
      }
    } else if ('error' in result) {
      await this.#takeRefusal(result);
    }
  }

  async #takeRefusal(refusal: Refusal): Promise<void> {
    this.#refusal ??= describeRefusal(refusal);
    this.#halt ??= haltOfRefusal(refusal, this.#context.ports.random);
    const instead = await reportRefusal(this.#context, refusal);
    // After a failure some row may not be settled: the lease is kept until it runs out, whatever else comes.
    if (instead !== undefined && this.#halt.reason !== 'failure') this.#halt = instead;
  }

  async #loadWarehouses(): Promise<void> {
    const { ports, store, signal } = this.#context;
    try {
      const { data } = await ports.marketplace.listWarehouses(store, { signal });
      this.#warehouses = data.map(({ clientId }) => clientId);
    } catch (error) {
      if (!(error instanceof MarketplaceError)) throw error;
      const verdict = verdictOf(error);
      // A read has no rows whose outcome could be unknown or that could be at fault.
      await this.#takeRefusal({
        error,
        verdict: verdict === 'unknown' || verdict === 'bisect' ? 'pause' : verdict,
      });
    }
  }
}
