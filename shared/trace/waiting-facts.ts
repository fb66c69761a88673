import type { GuardTable } from '../guards/ports.ts';
import { type ReadHealthPorts, readHealth } from '../health/use-cases/report-health.ts';
import type { LaneTable } from '../lanes/ports.ts';
import { isRestoring } from '../limits/model.ts';
import type { Listing } from '../listings/model.ts';
import { clientErrorCodes } from '../marketplace/errors.ts';
import type { StoreTable } from '../stores/ports.ts';
import type { TraceStep } from './model.ts';
import { type WaitingReason, waitingReason } from './waiting-reason.ts';

export interface WaitingFactsPorts extends ReadHealthPorts {
  readonly stores: Pick<StoreTable, 'get'>;
  readonly lanes: Pick<LaneTable, 'getMany'>;
  readonly guards: Pick<GuardTable, 'get'>;
  /** The items of the limit, see `limitIdsOf`. */
  readonly limitIds: readonly string[];
  readonly restoredTables: string | undefined;
}

/** Each listing of a store, with what its next value waits for, if a value waits. Reads nothing if no value waits. */
export async function withReasons(
  ports: WaitingFactsPorts,
  storeClientId: string,
  listings: readonly Listing[],
): Promise<(readonly [Listing, WaitingReason | undefined])[]> {
  if (listings.every(({ waitingSince }) => waitingSince === undefined))
    return listings.map((listing) => [listing, undefined]);
  const { limits, limitIds, restoredTables } = ports;
  const [store, lanes, guard, health, isRestored] = await Promise.all([
    ports.stores.get(storeClientId),
    ports.lanes.getMany([storeClientId]),
    ports.guards.get(storeClientId),
    readHealth(ports, limitIds),
    restoredTables !== undefined && isRestoring(await limits.get(limitIds[0] ?? ''), restoredTables),
  ]);
  const lane = lanes.get(storeClientId);
  const facts = { store, lane, guard, health, isRestored, now: ports.clock.now() };
  return listings.map((listing) => [
    listing,
    listing.waitingSince === undefined ? undefined : waitingReason(listing, facts),
  ]);
}

/** Whether a step shows work that a failing marketplace may delay: a command without a permit, or a request without a try. */
const mayWaitForMarketplace = ({ what, code, outcome }: TraceStep) =>
  what === 'request.prepared'
    ? outcome === 'open'
    : what === 'command.waiting' && code === clientErrorCodes.limitReached;

/** The steps of commands. Steps that wait because the marketplace fails say so. Reads nothing if no step may wait for it. */
export async function withCause(
  ports: WaitingFactsPorts,
  steps: readonly TraceStep[],
): Promise<readonly TraceStep[]> {
  if (!steps.some(mayWaitForMarketplace)) return steps;
  const { state, text } = await readHealth(ports, ports.limitIds);
  if (state !== 'failing' && state !== 'paused') return steps;
  return steps.map((step) => {
    if (!mayWaitForMarketplace(step)) return step;
    return { ...step, message: step.message === undefined ? `waits: ${text}` : `${step.message}. ${text}` };
  });
}
