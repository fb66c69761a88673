import type { Tries } from '../attempts/model.ts';
import { definedOf } from '../collections/defined-of.ts';
import { holdsPrices, type PriceGuard } from '../guards/rules/price-guard.ts';
import type { Health } from '../health/model.ts';
import type { Lane } from '../lanes/model.ts';
import { isStockRegister, type Listing, registerEntries } from '../listings/model.ts';
import { isPending, nextStep } from '../listings/rules/waiting.ts';
import type { Store } from '../stores/model.ts';
import type { EpochMs, IsoTime } from '../time/times.ts';

/** What decides when a waiting value is sent. */
export interface WaitingFacts {
  readonly store: Store | undefined;
  readonly lane: Pick<Lane, 'paused' | 'tries'> | undefined;
  readonly guard: PriceGuard | undefined;
  readonly health: Health;
  /** Whether the tables were restored, and nothing is sent from them yet. */
  readonly isRestored: boolean;
  readonly now: EpochMs;
}

/** Why a value waits, in words, and until when (ISO 8601) if that is known. */
export interface WaitingReason {
  readonly message: string;
  readonly until?: IsoTime;
}

/** What the listing's next value waits for, and how often the value was tried. */
export function waitingReason(listing: Listing, facts: WaitingFacts): WaitingReason {
  const { message, ...until } = causeOf(listing, facts);
  return { message: message + triedText(listing.tries), ...until };
}

function triedText(tries: Tries | undefined): string {
  return tries === undefined ? '' : `; ${tries.count} ${tries.count === 1 ? 'try' : 'tries'} so far`;
}

/** The reason that lasts longest comes first. */
function causeOf(listing: Listing, facts: WaitingFacts): WaitingReason {
  const isPriceNext = nextStep(listing)?.kind === 'price';
  return (
    ofPerson(facts, isPriceNext) ??
    ofMarketplace(facts.health) ??
    ofRequest(listing, facts.now) ??
    ofLane(facts, isPriceNext && hasWaitingStock(listing))
  );
}

function ofPerson(
  { store, guard, health, isRestored }: WaitingFacts,
  isPrice: boolean,
): WaitingReason | undefined {
  if (isRestored)
    return { message: 'waits for a person: nothing is sent from restored tables before `restore end`' };
  if (health.state === 'refused') return { message: `waits for the partner's credentials: ${health.text}` };
  if (store !== undefined && store.state !== 'connected') {
    const why = store.stateReason === undefined ? '' : `: ${store.stateReason}`;
    return { message: `waits for the store: it is ${store.state} since ${store.updatedAt}${why}` };
  }
  if (!holdsPrices(guard) || !isPrice) return undefined;
  const { since, reason } = guard.hold;
  return { message: `waits for a person: the prices of the store are held since ${since}: ${reason}` };
}

function ofMarketplace({ state, text, pausedUntil }: Health): WaitingReason | undefined {
  if (state !== 'failing' && state !== 'paused') return undefined;
  return { message: `waits for the marketplace: ${text}`, ...definedOf({ until: pausedUntil }) };
}

/** The reason that comes from the listing's last request. */
function ofRequest(
  { notBefore = 0, backoffUntil = 0, tries }: Listing,
  now: EpochMs,
): WaitingReason | undefined {
  if (notBefore > now)
    return {
      message: 'waits until the outcome of its last request is known, or can no longer change',
      until: isoOf(notBefore),
    };
  if (backoffUntil <= now) return undefined;
  const why = tries?.lastFailed?.outcome === 'unknown' ? 'did not answer' : 'refused it for now';
  return { message: `waits for the marketplace: it ${why}`, until: isoOf(backoffUntil) };
}

function ofLane({ lane, health, now }: WaitingFacts, doesStockWait: boolean): WaitingReason {
  const behind = doesStockWait ? '; its stock waits for its price' : '';
  if (lane?.paused !== undefined && lane.paused.until > now) {
    const { until, count } = lane.paused;
    // All requests pause for at most a minute. The health then has the end of the pause, but is not `paused`.
    const isPause = count > 0 && health.pausedUntil !== undefined;
    const why =
      count > 0 && !isPause
        ? 'waits for a permit of the rate limiter: other work uses the whole rate'
        : `waits for the marketplace: it asked ${isPause ? 'all requests' : 'this store'} to wait`;
    return { message: `${why}${behind}`, until: isoOf(until) };
  }
  const failed = lane?.tries?.lastFailed;
  if (failed === undefined) return { message: `waits in the lane of the store to be sent${behind}` };
  const why = [failed.status, failed.code].filter(Boolean).join(' ');
  const named = failed.requestId === undefined ? '' : `, request ${failed.requestId}`;
  const last = `the last request for stock and prices of the store ended with ${why}, at ${failed.at}${named}`;
  return { message: `waits for the marketplace: ${last}${behind}` };
}

function hasWaitingStock(listing: Listing): boolean {
  return registerEntries(listing.desired).some(
    ([name, register]) => isStockRegister(name) && isPending(listing, name, register),
  );
}

function isoOf(time: number): string {
  return new Date(time).toISOString();
}
