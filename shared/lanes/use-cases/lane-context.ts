import type { RecordBatchPorts } from '../../batches/ports.ts';
import type { EventPublisher } from '../../events/outgoing.ts';
import type { GuardTable } from '../../guards/ports.ts';
import type { Limiter } from '../../limits/limiter.ts';
import type { MarketplaceLimits } from '../../limits/model.ts';
import type { ListingTable } from '../../listings/ports.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import type { RejectionTable } from '../../rejections/model.ts';
import type { RequestTable } from '../../requests/ports.ts';
import type { Store } from '../../stores/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import type { LaneTable, TicketQueue } from '../ports.ts';

export interface PushLanePorts {
  readonly lanes: LaneTable;
  readonly listings: ListingTable;
  readonly stores: Pick<StoreTable, 'get' | 'suspend' | 'forgetEvent'>;
  readonly batches: RecordBatchPorts['batches'];
  readonly rejections: Pick<RejectionTable, 'putAll'>;
  readonly requests: Pick<RequestTable, 'putAliases'>;
  readonly events: EventPublisher;
  readonly tickets: TicketQueue;
  readonly guards: Pick<GuardTable, 'get'>;
  /** Gives places to bulk requests. For all other calls the client takes permits itself. */
  readonly limiter: Limiter;
  readonly marketplace: Pick<MarketplaceClient, 'updateStocks' | 'updatePrices' | 'listWarehouses'>;
  readonly clock: Clock;
  /** Unique IDs of requests and leases. */
  readonly newId: () => string;
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number;
}

export interface LaneSettings extends MarketplaceLimits {
  readonly itemsPerRequest: number;
  /** A request that has not landed this long after its signature never will ("What it rests on" in docs/architecture.md). */
  readonly attemptLifetimeMs: number;
  /** Time that a batch may stay open without its final summary. */
  readonly batchDeadlineMs: number;
}

/** The ports, settings, store and lease of one holder of a lane. */
export interface LaneContext {
  readonly ports: PushLanePorts;
  readonly settings: LaneSettings;
  readonly store: Store;
  readonly leaseId: string;
  /** The lease lasts at least until this time. */
  leasedUntil: EpochMs;
  readonly signal: AbortSignal;
}

/** Another holder has the lease. It sends the waiting values. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** What one holder of a lane has done. */
export interface LaneCounts {
  readonly requests: number;
  readonly rows: number;
  /** Rejected rows by code. */
  readonly rejections: Readonly<Record<string, number>>;
  /** Whether the previous holder has not released its lease. */
  readonly leaseExpired: boolean;
  /** The refusal that ended the work before all values were sent. */
  readonly refusal?: { readonly code: string; readonly message: string; readonly requestId?: string };
}

/** How one holder's work on a lane ended. */
export interface LaneReport extends LaneCounts {
  readonly ended:
    | 'drained'
    /** The holder's time is over, or other lanes wait. A ticket continues the work. */
    | 'turn-over'
    /** All lanes or this one must wait, or no place was free. A delayed ticket continues the work. */
    | 'paused'
    /** The partner's credentials are refused. The waker tries again. */
    | 'stopped'
    /** The partner's credentials were refused in a request of this lane. */
    | 'partner-refused'
    | 'held-elsewhere'
    | 'lost'
    | 'not-connected'
    | 'suspended';
}
