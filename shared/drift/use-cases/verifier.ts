import type { EventPublisher } from '../../events/outgoing.ts';
import type { Permits } from '../../limits/ports.ts';
import type { LaneWaker, ListingTable } from '../../listings/ports.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { ForConnectedStorePorts } from '../../stores/use-cases/for-connected-store.ts';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import type { DriftTable, VerificationTable } from '../ports.ts';

export interface VerifierPorts extends ForConnectedStorePorts {
  readonly stores: ForConnectedStorePorts['stores'] & Pick<StoreTable, 'list'>;
  readonly listings: Pick<ListingTable, 'getMany' | 'update' | 'targets'>;
  readonly drift: DriftTable;
  readonly verifications: VerificationTable;
  readonly marketplace: Pick<MarketplaceClient, 'listProducts'>;
  /** Permits that no other caller needs now. */
  readonly permits: Permits & { readonly left: number };
  readonly events: EventPublisher;
  readonly tickets: LaneWaker;
  readonly clock: Clock;
}

export interface VerifierSettings {
  /** How long after its acceptance a value may still be missing. */
  readonly graceMs: number;
  /** Time from the start of a store's cycle to the start of its next. */
  readonly cycleMs: number;
  /** Products per page. */
  readonly pageSize: number;
}

/** What one run works with. */
export interface VerifierWork {
  readonly ports: VerifierPorts;
  readonly settings: VerifierSettings;
  readonly counts: VerifierCounts;
  /** After it no further read begins. */
  readonly stopAt: EpochMs;
  /** Aborts a read that is in flight. */
  readonly signal: AbortSignal;
}

/** What one run has found. */
export interface VerifierCounts {
  /** Listings compared with what is live. */
  verified: number;
  drifted: number;
  repaired: number;
  contested: number;
  missing: number;
  /** Whole cycles that ended. */
  cycles: number;
}
