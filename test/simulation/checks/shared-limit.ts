import type { PermitOutcome } from '../../../shared/marketplace/options.ts';
import { MAX_SKEW_MS } from '../engine/simulated-process.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Exchange } from '../world/network.ts';

export interface Allowed {
  readonly requestsPerSecond: number;
  readonly requestsInFlight: number;
}

/** What an operation takes at most that is not slow, there and back; milliseconds. */
export const USUAL_OPERATION_MS = 10;
/** What may pass between leave and arrival: requests may come that much closer together. */
const USUAL_DELAY_MS = 300;
/** The same where operations are slow. */
const SLOW_DELAY_MS = 2_000;
/** What leave may come closer together by: clocks that differ, and a slot that passed a moment ago. */
const LEAVE_TOLERANCE_MS = 2 * MAX_SKEW_MS + 2 * USUAL_OPERATION_MS + 20;
/** What a complaint pauses everyone for that does not say for how long. */
const OWN_PAUSE_MS = 1_000;

/** P6, counted where the requests arrive; those that a fault held up are not counted. */
export class SharedLimit {
  readonly #simulation: Simulation;
  readonly #allowed: Allowed;
  readonly #arrivals: number[] = [];

  constructor(simulation: Simulation, allowed: Allowed) {
    this.#simulation = simulation;
    this.#allowed = allowed;
  }

  onLanded(): void {
    const { now, faults } = this.#simulation;
    const { requestsPerSecond } = this.#allowed;
    const delayMs = faults.counts.has('operation is slow') ? SLOW_DELAY_MS : USUAL_DELAY_MS;
    this.#arrivals.push(now);
    for (const [index, since] of this.#arrivals.entries()) {
      const count = this.#arrivals.length - index;
      const seconds = Math.max(1, (now - since + 2 * MAX_SKEW_MS + delayMs) / 1000);
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

/** Leave to send one request, as the checks remember it. */
export interface GivenLeave {
  readonly at: number;
}

/** P6 where leave is given, which is more exact: nothing has come between yet, and there is no burst. */
export class GivenLeaves {
  readonly #simulation: Simulation;
  #given: GivenLeave[] = [];
  readonly #pauses: { readonly from: number; readonly until: number }[] = [];

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** To be called only for leave whose operations were not slow; `takenAt`: when its permit was taken. */
  onGiven(requestsPerSecond: number, takenAt: number): GivenLeave {
    const leave = { at: this.#simulation.now };
    this.#given.push(leave);
    for (const [index, { at }] of this.#given.entries()) {
      const count = this.#given.length - index;
      const seconds = (leave.at - at + LEAVE_TOLERANCE_MS) / 1000;
      if (count <= requestsPerSecond * seconds + 1) continue;
      this.#simulation.violate(`P6: leave for ${count} requests within ${seconds.toFixed(2)} s`);
    }
    const isPaused = this.#pauses.some(({ from, until }) => takenAt > from && leave.at < until);
    if (isPaused) this.#simulation.violate('P6: a permit is taken while everyone is to wait');
    return leave;
  }

  /** Nothing was sent: the slot is for another. */
  onUnused(leave: GivenLeave): void {
    this.#given = this.#given.filter((one) => one !== leave);
  }

  /** It is durable how a request ended that was told at `toldAt`; whoever looks after his slot from now on knows of it. */
  onEnded({ status, retryAfterMs, unused = false }: PermitOutcome, toldAt: number): void {
    const isComplaint = status === 429 || status === 503 || retryAfterMs !== undefined;
    if (unused || !isComplaint) return;
    this.#pauses.push({
      from: this.#simulation.now + USUAL_OPERATION_MS,
      until: toldAt + (retryAfterMs ?? OWN_PAUSE_MS) - 2 * MAX_SKEW_MS - 1,
    });
  }
}
