import type { Clock } from '../time/clock.ts';
import { permitWait } from '../time/waits.ts';
import type { NoPlace, Permits, Place, PlaceRequest } from './ports.ts';

/** A place must be free within this time: about the time since the caller's own last request. */
const SOON_MS = 250;

/**
 * Permits that no other caller waits for: a place is taken only if it is free soon, so that waiting callers come first. Gives
 * `budget` permits at most.
 */
export class SparePermits implements Permits {
  readonly #permits: Permits;
  readonly #clock: Pick<Clock, 'now'>;
  #left: number;

  constructor(permits: Permits, clock: Pick<Clock, 'now'>, budget: number) {
    this.#permits = permits;
    this.#clock = clock;
    this.#left = budget;
  }

  /** Permits of the budget that are left. */
  get left(): number {
    return this.#left;
  }

  async reserve(request: PlaceRequest): Promise<Place | NoPlace> {
    const now = this.#clock.now();
    if (this.#left <= 0) return { reason: 'busy', retryAt: now + permitWait.againMs };
    const place = await this.#permits.reserve({ ...request, until: now + SOON_MS });
    if ('reason' in place) return place;
    const begin: Place['begin'] = async (signal) => {
      const permit = await place.begin(signal);
      if (permit !== undefined) this.#left -= 1;
      return permit;
    };
    return { ...place, begin };
  }
}
