import type { AttemptTable } from '../../attempts/ports.ts';
import type { BatchTable } from '../../batches/ports.ts';
import type { EventPublisher } from '../../events/ports.ts';
import type { GuardTable } from '../../guards/ports.ts';
import type { Limiter } from '../../limits/limiter.ts';
import type { ListingTable } from '../../listings/ports.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import type { RejectionTable } from '../../rejections/ports.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { LaneTable, TicketQueue } from '../ports.ts';

export interface PushLanePorts {
  readonly lanes: LaneTable;
  readonly listings: ListingTable;
  readonly stores: Pick<StoreTable, 'get' | 'suspend' | 'forgetEvent'>;
  readonly attempts: AttemptTable;
  readonly batches: Pick<BatchTable, 'get' | 'update' | 'link' | 'linkedTo'>;
  readonly rejections: Pick<RejectionTable, 'putAll'>;
  readonly events: EventPublisher;
  readonly tickets: TicketQueue;
  readonly guards: Pick<GuardTable, 'get'>;
  /** Asked for leave before each bulk request; the client asks by itself for all else. */
  readonly limiter: Pick<Limiter, 'acquire' | 'stop'>;
  readonly marketplace: Pick<MarketplaceClient, 'updateStocks' | 'updatePrices' | 'listWarehouses'>;
  readonly clock: Clock;
  /** Unique every time: attempts, leases. */
  readonly newId: () => string;
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number;
}

export interface LaneSettings {
  readonly itemsPerRequest: number;
  /** Requests of one lane in flight at a time. */
  readonly requestsInFlight: number;
  /** After this long a request can't land any more (design §5.1). */
  readonly attemptLifetimeMs: number;
  /** How long an open batch may stay without its final summary. */
  readonly batchDeadlineMs: number;
}
