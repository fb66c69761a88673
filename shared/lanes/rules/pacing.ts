import { itemsOf, type MarketplaceLimits } from '../../limits/model.ts';
import { halfOf } from '../../marketplace/failures.ts';
import type { EpochMs } from '../../time/times.ts';
import type { LaneState } from '../model.ts';

/** The state after a whole request was refused or failed: the next requests have half as many rows. */
export function afterSplit(state: LaneState, rows: number): LaneState {
  return { ...state, rowsAtMost: halfOf(rows) };
}

/** The state after an answer, or after a refusal of a single row: several requests at a time, with more rows. */
export function afterAnswer(
  { oneAtATime: _, tries: __, rowsAtMost, ...state }: LaneState,
  rows: number,
  itemsPerRequest: number,
): LaneState {
  const more = Math.max(rowsAtMost ?? 0, 2 * rows);
  return rowsAtMost !== undefined && more < itemsPerRequest ? { ...state, rowsAtMost: more } : state;
}

/**
 * Time between two looks for new work while requests are in flight. A lane does not reserve places further ahead than this, to leave
 * places to other lanes.
 */
export const LOOK_AGAIN_MS = 250;
/** If other lanes wait, a lane stops after this time, with jitter of half of it. */
const TURN_MS = 2_000;

/** Limits how long one holder works on its lane, and how far ahead it reserves places. */
export class Turn {
  readonly #stopAt: EpochMs;
  /** When the lane stops if other lanes wait. */
  readonly #until: EpochMs;
  /** Time between two places of one item of the limit. */
  readonly #spacingMs: number;
  readonly #limitItems: number;
  #lastPlaceAt = 0;
  #othersWait = false;

  /** @param random in [0, 1), so that lanes that begin together end at different times. */
  constructor(begunAt: EpochMs, stopAt: EpochMs, random: number, limit: MarketplaceLimits) {
    this.#stopAt = stopAt;
    this.#until = begunAt + TURN_MS * (0.5 + random);
    this.#limitItems = itemsOf(limit);
    this.#spacingMs = (1000 * this.#limitItems) / limit.requestsPerSecond;
  }

  isOver(now: EpochMs): boolean {
    return now >= this.#stopAt || (this.#othersWait && now >= this.#until);
  }

  /** How many further places to reserve: none if the last place is still far; one if other lanes wait; else one per item of the limit. */
  placesAhead(now: EpochMs): number {
    if (this.#lastPlaceAt - now > LOOK_AGAIN_MS) return 0;
    return this.#othersWait ? 1 : this.#limitItems;
  }

  /** Notes a place at `at`. If it is later than the `earliest` possible place, other lanes have the places in between, and so they wait. */
  noteTaken(at: EpochMs, earliest: EpochMs): void {
    const soonest = Math.max(earliest, this.#lastPlaceAt + this.#spacingMs);
    this.#othersWait = at > soonest + this.#spacingMs;
    this.#lastPlaceAt = at;
  }
}
