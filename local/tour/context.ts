import type { MarketplaceClient } from '../../shared/marketplace/client.ts';
import type { ConnectorRun } from '../run/connector-run.ts';
import type { Terminal } from '../run/terminal/terminal.ts';
import type { until } from '../run/until.ts';

/**
 * For work that takes seconds on an idle machine, and may take a hundred times as long on a busy one. A look reads about as much as the
 * work itself, so looks are not repeated at once.
 */
export const SLOW_MACHINE = { withinMs: 300_000, everyMs: 250 };

/** A line of the table at the end of the tour. */
export interface TourLine {
  readonly step: string;
  readonly sent: string;
  readonly requests: number;
  readonly accepted: number;
  readonly rejected: number;
  /** The comparison of the expected state with the marketplace's, in words. */
  readonly comparison: string;
  /** Whether the comparison holds. */
  readonly holds: boolean;
}

export interface TourContext {
  readonly run: ConnectorRun;
  readonly storeClientId: string;
  /** Token for reads at the marketplace. */
  readonly storeToken: string;
  /** The marketplace's read endpoints, called directly and not through the connector. */
  readonly marketplace: Pick<MarketplaceClient, 'iterateProducts' | 'getProductBySku'>;
  /** Number of the first product, different in each run, as another marketplace keeps the products of earlier runs. */
  readonly firstProduct: number;
  /** An order whose label may be fetched; not needed for a sandbox. */
  readonly orderId: string | undefined;
  readonly terminal: Pick<Terminal, 'say' | 'progress' | 'paint'>;
  /** Waits as `until` does, and shows the reason as progress. */
  readonly waitFor: typeof until;
}
