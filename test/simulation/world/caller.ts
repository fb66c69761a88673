import { createLimiter, type Limiter } from '../../../shared/limits/limiter.ts';
import type { Limit } from '../../../shared/limits/model.ts';
import type { LimitTable, Permit, PermitOutcome, Place } from '../../../shared/limits/ports.ts';
import { createMarketplaceClient } from '../../../shared/marketplace/client.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';
import type { Step } from '../../doubles/step.ts';
import { type PermitGrant, USUAL_OPERATION_MS } from '../checks/shared-limit.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Network } from './network.ts';
import type { PartnerSecret } from './partner-secret.ts';

/** Duration of a stop of the lanes, as in the stack. */
const STOP_MS = 60_000;

/** The items of the limit. */
export const limitIdsOf = (items: number) => Array.from({ length: items }, (_, index) => `partner#${index}`);

/** The parts of the world that a process needs to call the marketplace. */
export interface CallerWorld {
  readonly simulation: Simulation;
  readonly settings: {
    readonly attemptLifetimeMs: number;
    readonly requestTimeoutMs: number;
    readonly requestsPerSecond: number;
    readonly requestsInFlight: number;
    /** Items that the limit is divided over. Default 1. */
    readonly limitItems?: number;
    readonly restoredTables?: string | undefined;
  };
  readonly tables: { readonly limits: Map<string, Limit> };
  readonly secret: PartnerSecret;
  readonly network: Network;
}

/** A process as a caller of the marketplace: the production limiter and client over its clock, IDs and random numbers. */
export function callerOf(world: CallerWorld, process: SimulatedProcess) {
  const { simulation, settings, secret, network } = world;
  const { clock } = process;
  const own = {
    clock,
    newId: () => simulation.newId(process.name),
    random: simulation.random.next,
  };
  const limiter = watchedLimiter(world, process, own);
  const secretKey = secret.readerOf(process);
  const client = createMarketplaceClient({
    baseUrl: 'http://marketplace',
    partnerClientId: 'partner',
    secretKey,
    transport: network.transportOf(process),
    permits: limiter,
    sleep: clock.sleep,
    timeoutMs: settings.requestTimeoutMs,
    ...own,
  });
  return { own, limiter, secretKey, client };
}

/** The production limiter, which reports every permit to the checks unless its operations were slow. */
function watchedLimiter(
  { simulation, settings, tables, network: { grants } }: CallerWorld,
  process: SimulatedProcess,
  own: Pick<Parameters<typeof createLimiter>[0], 'clock' | 'newId' | 'random'>,
): Limiter {
  const { limitItems = 1, requestsPerSecond } = settings;
  let slowOperations = 0;
  const timed: Step = async (operation, effect) => {
    const begunAt = simulation.now;
    const result = await process.step(operation, effect);
    if (simulation.now - begunAt > USUAL_OPERATION_MS) slowOperations += 1;
    return result;
  };
  /** Outcomes that the process reports, and since when. A report that fails may still be written to other items of the limit. */
  const reported = new Map<PermitOutcome, number>();
  const watched = (permit: Permit, grant: PermitGrant | undefined): Permit => ({
    release: async (outcome) => {
      if (outcome.unused && grant !== undefined) grants.onUnused(grant);
      const reporting = grants.onReporting(outcome);
      reported.set(outcome, simulation.now);
      await permit.release(outcome);
      reported.delete(outcome);
      grants.onEnded(reporting);
    },
  });
  const table = inMemoryLimitTable(timed, tables.limits);
  /** The times at which permits were taken, by the time of their expiry. */
  const takenAt = new Map<number, number>();
  const change: LimitTable['change'] = async (limitId, wanted) => {
    const changed = await table.change(limitId, wanted);
    const { pausedUntil = 0 } = wanted.set ?? {};
    if (changed !== undefined && pausedUntil > own.clock.now()) grants.onPaused(reported);
    const expiries = changed === undefined ? [] : Object.values(wanted.permits ?? {});
    for (const expiresAt of expiries) if (expiresAt !== undefined) takenAt.set(expiresAt, simulation.now);
    return changed;
  };
  const limiter = createLimiter(
    { ...own, limits: { ...table, change } },
    { ...settings, permitLifetimeMs: settings.attemptLifetimeMs, stopMs: STOP_MS },
    limitIdsOf(limitItems),
  );
  const watchedPlace = (place: Place, slowBefore: number): Place => ({
    ...place,
    begin: async (signal) => {
      const permit = await place.begin(signal);
      if (permit === undefined) {
        grants.onRefused(process, place.at + settings.attemptLifetimeMs, tables.limits.values());
        return undefined;
      }
      const taken = takenAt.get(place.at + settings.attemptLifetimeMs);
      // A request that was prepared too late comes close to the next ones, and later ones keep a distance.
      const isOnTime = own.clock.now() - place.at <= USUAL_OPERATION_MS;
      const isExact = isOnTime && slowOperations === slowBefore && taken !== undefined;
      return watched(permit, isExact ? grants.onGiven({ requestsPerSecond, limitItems }, taken) : undefined);
    },
  });
  return {
    ...limiter,
    reserve: async (request) => {
      const slowBefore = slowOperations;
      const place = await limiter.reserve(request);
      return 'reason' in place ? place : watchedPlace(place, slowBefore);
    },
  };
}
