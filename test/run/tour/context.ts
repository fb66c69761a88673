import type { MarketplaceClient } from '../../../shared/marketplace/client.ts';
import type { ConnectorRun } from '../connector-run.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { until } from '../until.ts';

/** One line of the table at the end: what was done, what it took, and whether it is as it should be. */
export interface TourLine {
  readonly step: string;
  readonly sent: string;
  readonly requests: number;
  readonly accepted: number;
  readonly rejected: number;
  /** What was compared with what, in words. */
  readonly comparison: string;
  readonly holds: boolean;
}

export interface TourContext {
  readonly run: ConnectorRun;
  readonly storeClientId: string;
  /** Credentials of the store, for reading back what is live. */
  readonly storeToken: string;
  /** The marketplace's own read endpoints, asked past the connector. */
  readonly marketplace: Pick<MarketplaceClient, 'iterateProducts' | 'getProductBySku'>;
  /** Number of the first product, different in each run: a marketplace that stays keeps its products. */
  readonly firstProduct: number;
  /** An order whose label may be fetched; the sandbox makes one itself. */
  readonly orderId: string | undefined;
  readonly terminal: Pick<Terminal, 'say' | 'progress' | 'paint'>;
  /** Waits as `until` does, and says for what. */
  readonly waitFor: typeof until;
}
