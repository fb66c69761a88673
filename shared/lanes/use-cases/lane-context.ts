import type { BatchTable } from '../../batches/ports.ts';
import type { EventPublisher } from '../../events/outgoing.ts';
import type { GuardTable } from '../../guards/ports.ts';
import type { Limiter } from '../../limits/limiter.ts';
import type { ListingTable } from '../../listings/ports.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import type { RejectionTable } from '../../rejections/model.ts';
import type { Store } from '../../stores/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { LaneTable, TicketQueue } from '../ports.ts';

export interface PushLanePorts {
  readonly lanes: LaneTable;
  readonly listings: ListingTable;
  readonly stores: Pick<StoreTable, 'get' | 'suspend' | 'forgetEvent'>;
  readonly batches: Pick<BatchTable, 'get' | 'update' | 'link' | 'linkedTo'>;
  readonly rejections: Pick<RejectionTable, 'putAll'>;
  readonly events: EventPublisher;
  readonly tickets: TicketQueue;
  readonly guards: Pick<GuardTable, 'get'>;
  /** Asked for a place before each bulk request; the client asks by itself for all else. */
  readonly limiter: Limiter;
  readonly marketplace: Pick<MarketplaceClient, 'updateStocks' | 'updatePrices' | 'listWarehouses'>;
  readonly clock: Clock;
  /** Unique every time: requests, leases. */
  readonly newId: () => string;
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number;
}

export interface LaneSettings {
  readonly itemsPerRequest: number;
  /** Requests of all functions together: per second, and in flight at a time. */
  readonly requestsPerSecond: number;
  readonly requestsInFlight: number;
  /** After this long a request can't land any more ("What it rests on" in docs/architecture.md). */
  readonly attemptLifetimeMs: number;
  /** How long an open batch may stay without its final summary. */
  readonly batchDeadlineMs: number;
}

/** What one holder of a lane works with. */
export interface LaneContext {
  readonly ports: PushLanePorts;
  readonly settings: LaneSettings;
  readonly store: Store;
  readonly leaseId: string;
  readonly signal: AbortSignal;
}

/** The lane was taken over: whatever this invocation still wanted to send is now the new holder's. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/**
 * Makes sure that the lane is ours until `until` (epoch ms).
 *
 * @throws LeaseLostError when it is not ours any more
 */
export async function holdLane({ ports, store, leaseId }: LaneContext, until: number): Promise<void> {
  const isExtended = await ports.lanes.extend(store.storeClientId, leaseId, until);
  // A sender that was held up here for the lease's whole length may have another holder beside it already.
  if (isExtended && ports.clock.now() < until) return;
  throw new LeaseLostError(`the lane of ${store.storeClientId} has another holder`);
}

/** What is counted of one holder's time with a lane. */
export interface LaneCounts {
  readonly requests: number;
  readonly rows: number;
  /** Rejected rows by code. */
  readonly rejections: Readonly<Record<string, number>>;
  /** Whether the holder before had not released the lane. */
  readonly leaseExpired: boolean;
}

/** What came of one holder's time with a lane. */
export interface LaneReport extends LaneCounts {
  readonly ended:
    | 'drained'
    /** Its time is up, or other lanes wait: a ticket goes on. */
    | 'turn-over'
    /** Everyone is to wait, or no permit was free: a delayed ticket goes on. */
    | 'paused'
    /** The partner's credentials are refused: the waker tries again. */
    | 'stopped'
    /** The same, and this lane was the one to find it out. */
    | 'partner-refused'
    | 'held-elsewhere'
    | 'lost'
    | 'not-connected'
    | 'suspended';
  /** What a request was refused with that made the holder leave before all was sent. */
  readonly refusal?: { readonly code: string; readonly message: string; readonly requestId?: string };
}

/** As the holder itself knows it. */
export type HolderCounts = Omit<LaneCounts, 'leaseExpired'>;
export type HolderReport = Omit<LaneReport, 'leaseExpired'>;
