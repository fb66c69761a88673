import { clientPermits } from '../../../shared/limits/client-permits.ts';
import { createLimiter } from '../../../shared/limits/limiter.ts';
import type { Limit } from '../../../shared/limits/model.ts';
import { createMarketplaceClient } from '../../../shared/marketplace/client.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';
import type { VersionedItems } from '../../doubles/versioned-items.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Network } from './network.ts';
import type { PartnerSecret } from './partner-secret.ts';

/** How long a stop of the lanes lasts, as the stack sets it. */
const STOP_MS = 60_000;

/** What a process needs around it to call the marketplace. */
export interface CallerWorld {
  readonly simulation: Simulation;
  readonly settings: {
    readonly attemptLifetimeMs: number;
    readonly requestTimeoutMs: number;
    readonly requestsPerSecond: number;
    readonly requestsInFlight: number;
  };
  readonly tables: { readonly limits: VersionedItems<Limit> };
  readonly secret: PartnerSecret;
  readonly network: Network;
}

/** A process as a caller of the marketplace: its clock, IDs and chance, and over them the production limiter and client. */
export function callerOf(
  { simulation, settings, tables, secret, network }: CallerWorld,
  process: SimulatedProcess,
) {
  const { step, clock } = process;
  const own = {
    clock,
    newId: () => simulation.newId(process.name),
    random: simulation.random.next,
  };
  const limiter = createLimiter(
    { ...own, limits: inMemoryLimitTable(step, tables.limits) },
    { ...settings, permitLifetimeMs: settings.attemptLifetimeMs, stopMs: STOP_MS },
    'partner',
  );
  const client = createMarketplaceClient({
    baseUrl: 'http://marketplace',
    partnerClientId: 'partner',
    secretKey: secret.readerOf(process),
    transport: network.transportOf(process),
    permits: clientPermits(limiter, clock),
    sleep: clock.sleep,
    timeoutMs: settings.requestTimeoutMs,
    ...own,
  });
  return { own, limiter, client };
}
