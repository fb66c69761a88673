import { halfOf } from '../../marketplace/failures.ts';
import type { Place } from '../../marketplace/options.ts';
import type { LaneState } from '../model.ts';

/** After a request that was refused as a whole: the next ones have half of its rows. */
export function afterSplit(state: LaneState, rows: number): LaneState {
  return { ...state, rowsAtMost: halfOf(rows) };
}

/** After a request that was answered, or whose only row was refused: several at a time again, and of more rows. */
export function afterAnswer(
  { oneAtATime: _, rowsAtMost, ...state }: LaneState,
  rows: number,
  itemsPerRequest: number,
): LaneState {
  const more = Math.max(rowsAtMost ?? 0, 2 * rows);
  return rowsAtMost !== undefined && more < itemsPerRequest ? { ...state, rowsAtMost: more } : state;
}

/** A lane takes further places ahead only while they are no further away, in milliseconds: others want some too. */
const SHORT_QUEUE_MS = 300;
/** Milliseconds of work, jittered by half, after which a lane lets others go first, where some wait. */
const TURN_MS = 2_000;
/** Places, but for its own, by which a lane sees that others wait. */
const PLACES_OF_OTHERS = 1.5;

/** How long one holder works on its lane, and how far ahead it takes places. Times are epoch ms. */
export class Turn {
  readonly #stopAt: number;
  /** From then on the lane leaves where others wait. */
  readonly #until: number;
  /** Milliseconds between two places of one item. */
  readonly #spacingMs: number;
  readonly #limitItems: number;
  #lastPlaceAt = 0;
  #othersWait = false;

  /**
   * @param random in [0, 1), so that lanes that began together do not end together.
   * @param limit the rate of all requests, and the number of items that it is divided over.
   */
  constructor(
    {
      begunAt,
      stopAt,
      random,
    }: { readonly begunAt: number; readonly stopAt: number; readonly random: number },
    limit: { readonly requestsPerSecond: number; readonly items: number },
  ) {
    this.#stopAt = stopAt;
    this.#until = begunAt + TURN_MS * (0.5 + random);
    this.#limitItems = limit.items;
    this.#spacingMs = (1000 * limit.items) / limit.requestsPerSecond;
  }

  isOver(now: number): boolean {
    return now >= this.#stopAt || (this.#othersWait && now >= this.#until);
  }

  /** Further places to take: none that would be too far away; one of each item of the limit where no other lane waits. */
  placesAhead(now: number): number {
    if (this.#lastPlaceAt - now > SHORT_QUEUE_MS) return 0;
    return this.#othersWait ? 1 : this.#limitItems;
  }

  /** Sees whether others wait: by the places that lie between the soonest that could have been had and this one. */
  noteTaken({ at, prepareAt }: Place, now: number): void {
    const soonest = Math.max(now + at - prepareAt, this.#lastPlaceAt + this.#spacingMs);
    this.#othersWait = at > soonest + PLACES_OF_OTHERS * this.#spacingMs;
    this.#lastPlaceAt = at;
  }
}
