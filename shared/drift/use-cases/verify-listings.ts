import { ConnectorError } from '../../errors/connector-error.ts';
import type { OnFailure } from '../../errors/isolate-failure.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { isWithoutPermit, meaningOf } from '../../marketplace/failures.ts';
import type { Store } from '../../stores/model.ts';
import { allStores } from '../../stores/use-cases/all-stores.ts';
import { forConnectedStore } from '../../stores/use-cases/for-connected-store.ts';
import type { EpochMs } from '../../time/times.ts';
import type { Verification } from '../model.ts';
import { isDue } from '../rules/cycle.ts';
import { StoreTurn } from './store-turn.ts';
import type { VerifierCounts, VerifierPorts, VerifierSettings } from './verifier.ts';

export interface VerifierRun {
  /** After it no further read begins. */
  readonly stopAt: EpochMs;
  /** Aborts a read that is in flight. */
  readonly signal: AbortSignal;
  /** Called for each failed read; other stores are still processed. */
  readonly onFailure: OnFailure;
}

export interface VerifierReport extends VerifierCounts {
  /** Stores that were due. */
  readonly stores: number;
  /**
   * Age of the oldest last cycle of a connected store, in ms. A store's age counts from the end of its cycle, or from a later change of
   * its state or token.
   */
  readonly oldestCycleAgeMs: number;
}

/** A run ends after this many reads in a row without a permit. */
const MOST_REFUSED = 10;
/** Wait after a read without a permit. */
const ASK_AGAIN_MS = 1_000;
/** Earlier than every cycle. */
const EVER = '1970-01-01T00:00:00.000Z';

/**
 * Compares the live products of all due stores with their listings, page by page, one store after the other, within the budget of
 * `ports.permits`. Stores the progress after each page, so that the next run continues there.
 */
export async function verifyListings(
  ports: VerifierPorts,
  settings: VerifierSettings,
  { stopAt, signal, onFailure }: VerifierRun,
): Promise<VerifierReport> {
  const { clock, permits } = ports;
  const counts: VerifierCounts = {
    verified: 0,
    drifted: 0,
    repaired: 0,
    contested: 0,
    missing: 0,
    cycles: 0,
  };
  const stores = (await allStores(ports.stores)).filter(({ state }) => state === 'connected');
  const known = await ports.verifications.all();
  const verifications = stores.map(
    ({ storeClientId }): Verification => known.get(storeClientId) ?? { storeClientId },
  );
  const now = clock.now();
  const oldestCycleAgeMs = Math.max(
    0,
    ...stores.map((store) => now - lastEnd(store, known.get(store.storeClientId))),
  );
  let turns = verifications
    .filter((verification) => isDue(verification, now, settings.cycleMs))
    .sort(byLastCycle)
    .map((verification) => new StoreTurn({ ports, settings, counts, stopAt, signal }, verification));
  const looked = turns.length;
  let refused = 0;
  let isPartnerRefused = false;
  const mayGoOn = () =>
    permits.left > 0 && clock.now() < stopAt && refused < MOST_REFUSED && !isPartnerRefused;
  while (turns.length > 0 && mayGoOn()) {
    const next: StoreTurn[] = [];
    for (const turn of turns) {
      if (!mayGoOn()) break;
      const result = await takeStep(ports, turn, onFailure);
      refused = result === 'no permit' ? refused + 1 : 0;
      isPartnerRefused = result === 'partner refused';
      if (result === 'more' || result === 'no permit') next.push(turn);
    }
    turns = mayGoOn() ? next : turns;
  }
  return { ...counts, stores: looked, oldestCycleAgeMs };
}

/** Sorts the store that waits longest first, so that a small budget serves all stores. */
function byLastCycle({ last: one }: Verification, { last: other }: Verification): number {
  return Date.parse(one?.startedAt ?? EVER) - Date.parse(other?.startedAt ?? EVER);
}

async function takeStep(
  ports: VerifierPorts,
  turn: StoreTurn,
  onFailure: OnFailure,
): Promise<'more' | 'over' | 'no permit' | 'partner refused'> {
  try {
    const hasMore = await forConnectedStore(ports, turn.storeClientId, (store) => turn.step(store));
    return hasMore ? 'more' : 'over';
  } catch (error) {
    if (isWithoutPermit(error)) {
      await ports.clock.sleep(ASK_AGAIN_MS);
      return 'no permit';
    }
    // The store was disconnected or suspended after the run began. That was reported then.
    if (error instanceof ConnectorError && error.code === 'STORE_NOT_CONNECTED') return 'over';
    onFailure(error);
    const isPartner = error instanceof MarketplaceError && meaningOf(error) === 'partner-refused';
    return isPartner ? 'partner refused' : 'over';
  }
}

/** A store that was disconnected counts from the time when it was connected again. */
function lastEnd({ updatedAt }: Store, verification: Verification | undefined): number {
  return Math.max(Date.parse(updatedAt), Date.parse(verification?.last?.endedAt ?? EVER));
}
