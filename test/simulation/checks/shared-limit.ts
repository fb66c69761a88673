import type { Limit } from '../../../shared/limits/model.ts';
import type { PermitOutcome } from '../../../shared/limits/ports.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Exchange } from '../world/network.ts';

export interface Allowed {
  readonly requestsPerSecond: number;
  readonly requestsInFlight: number;
}

/** Longest duration of an operation that is not slow, in milliseconds. */
export const USUAL_OPERATION_MS = 10;
/** Longest time between permit and arrival: requests may arrive closer together by this much. */
const USUAL_DELAY_MS = 300;
/** Longest time between permit and arrival, with slow operations. */
const SLOW_DELAY_MS = 2_000;
/** How much closer together permits may be, beside the skew of clocks: a slot may have just passed. */
const GRANT_TOLERANCE_MS = 2 * USUAL_OPERATION_MS + 20;
/** Length of a pause after a 429 or 503 without Retry-After, and the longest one. */
const OWN_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Time in which a second store's complaint shows that it is about all. */
const SAME_OUTAGE_MS = 60_000;

/** P6, counted where the requests arrive, without those delayed by a fault. */
export class SharedLimit {
  readonly #simulation: Simulation;
  readonly #allowed: Allowed;
  readonly #arrivals: number[] = [];

  constructor(simulation: Simulation, allowed: Allowed) {
    this.#simulation = simulation;
    this.#allowed = allowed;
  }

  onLanded(): void {
    const { now, faults, maxSkewMs } = this.#simulation;
    const { requestsPerSecond } = this.#allowed;
    const delayMs = faults.counts.has('operation is slow') ? SLOW_DELAY_MS : USUAL_DELAY_MS;
    this.#arrivals.push(now);
    for (const [index, since] of this.#arrivals.entries()) {
      const count = this.#arrivals.length - index;
      const seconds = Math.max(1, (now - since + 2 * maxSkewMs + delayMs) / 1000);
      if (count <= requestsPerSecond * seconds + requestsPerSecond) continue;
      this.#simulation.violate(`P6: ${count} requests arrived within ${seconds.toFixed(2)} s`);
    }
  }

  onSent(others: readonly Exchange[]): void {
    const counted = others.filter(({ isOpen, process }) => isOpen && process.alive && !process.isHeldUp);
    const open = counted.length + 1;
    if (open <= this.#allowed.requestsInFlight) return;
    this.#simulation.violate(`P6: ${open} requests in flight`);
  }
}

/** A permit to send one request. */
export interface PermitGrant {
  readonly at: number;
}

/** P6, counted where permits are given. That is more exact: there is no delay after it, and no burst. */
export class PermitGrants {
  readonly #simulation: Simulation;
  #given: PermitGrant[] = [];
  readonly #pauses: { readonly from: number; readonly until: number }[] = [];
  /** Complaints that may be about one store. */
  readonly #outages: Outage[] = [];
  /** The one that is noted for certain. */
  #lastOutage: Outage | undefined;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** To be called only for permits whose operations were not slow; `takenAt`: when the permit was taken. */
  onGiven(
    { requestsPerSecond, limitItems }: { readonly requestsPerSecond: number; readonly limitItems: number },
    takenAt: number,
  ): PermitGrant {
    const grant = { at: this.#simulation.now };
    this.#given.push(grant);
    for (const [index, { at }] of this.#given.entries()) {
      const count = this.#given.length - index;
      const seconds = (grant.at - at + 2 * this.#simulation.maxSkewMs + GRANT_TOLERANCE_MS) / 1000;
      if (count <= requestsPerSecond * seconds + limitItems) continue;
      this.#simulation.violate(`P6: permits for ${count} requests within ${seconds.toFixed(2)} s`);
    }
    const isPaused = this.#pauses.some(({ from, until }) => takenAt > from && grant.at < until);
    if (isPaused) this.#simulation.violate('P6: a permit is taken during a pause');
    return grant;
  }

  /** A process was given no permit: it holds none that would keep others waiting until `expiresAt`. */
  onRefused(process: SimulatedProcess, expiresAt: number, limits: Iterable<Limit>): void {
    const ids = [...limits].flatMap(({ permits }) =>
      Object.keys(permits).filter((id) => permits[id] === expiresAt),
    );
    const left = ids.find((id) => id.startsWith(`${process.name}-`));
    if (left !== undefined) this.#simulation.violate(`P6: permit ${left} is taken, and no request uses it`);
  }

  /** Nothing was sent: another request may use the slot. */
  onUnused(grant: PermitGrant): void {
    this.#given = this.#given.filter((one) => one !== grant);
  }

  /** A process begins to report an outcome. @returns what `onEnded` needs */
  onReporting(outcome: PermitOutcome): Reporting {
    const { now } = this.#simulation;
    const { status, retryAfterMs, unused = false, storeClientId = '' } = outcome;
    const isOfStore = status !== 429 && (status === 503 || retryAfterMs !== undefined);
    if (unused || !(isOfStore || status === 429)) return { reportedAt: now, isForAll: false, retryAfterMs };
    const until = now + Math.max(SAME_OUTAGE_MS, retryAfterMs ?? 0);
    const last = this.#lastOutage;
    const isKnown = this.#isNoteKnown(storeClientId);
    if (isOfStore) {
      // Until it is stored, and if the process is killed meanwhile until it is over, no one knows which store is noted.
      this.#lastOutage = undefined;
      this.#outages.push({ storeClientId, until });
    }
    const isSecond =
      last !== undefined &&
      last.storeClientId !== storeClientId &&
      now < last.until - this.#simulation.maxSkewMs * 2;
    const isForAll = status === 429 || isSecond;
    return {
      reportedAt: now,
      isForAll,
      retryAfterMs,
      ...(isOfStore && isKnown && { note: isSecond ? last : { storeClientId, until } }),
    };
  }

  /** Whether it is certain what a complaint of this store is noted beside. */
  #isNoteKnown(storeClientId: string): boolean {
    const { now, maxSkewMs } = this.#simulation;
    const last = this.#lastOutage;
    if (last === undefined) return this.#outages.every(({ until }) => until < now - 2 * maxSkewMs);
    return last.storeClientId === storeClientId || Math.abs(last.until - now) > 2 * maxSkewMs;
  }

  /** The outcome is stored: every later reader of the limit knows it. */
  onEnded({ reportedAt, isForAll, retryAfterMs, note }: Reporting): void {
    const { now, maxSkewMs } = this.#simulation;
    // Another report has begun meanwhile if one is known.
    if (note !== undefined) this.#lastOutage = note;
    if (!isForAll) return;
    this.#pauses.push({
      from: now + USUAL_OPERATION_MS,
      until: reportedAt + Math.min(retryAfterMs ?? OWN_PAUSE_MS, LONGEST_PAUSE_MS) - 2 * maxSkewMs - 1,
    });
  }

  /**
   * A pause of all requests is stored by a process that reports these outcomes, each with the time at which its report began. The
   * write may come much later.
   */
  onPaused(outcomes: Iterable<readonly [PermitOutcome, number]>): void {
    const { maxSkewMs } = this.#simulation;
    const isAsked = [...outcomes].some(
      ([{ status, storeClientId = '' }, reportedAt]) =>
        status === 429 ||
        this.#outages.some(
          (one) => one.storeClientId !== storeClientId && one.until > reportedAt - 2 * maxSkewMs,
        ),
    );
    if (!isAsked) this.#simulation.violate('P8: one store makes all requests pause');
  }
}

interface Outage {
  readonly storeClientId: string;
  readonly until: number;
}

interface Reporting {
  readonly reportedAt: number;
  readonly isForAll: boolean;
  readonly retryAfterMs: number | undefined;
  /** The outage that is noted once the outcome is stored. */
  readonly note?: Outage;
}
