import { createMarketplaceClient, type MarketplaceClient } from '../../../shared/marketplace/client.ts';
import { createHttpTransport } from '../../../shared/marketplace/transport.ts';
import type { ConnectorRun, OtherMarketplace } from '../connector-run.ts';
import { fetchLabel } from './fetch-label.ts';
import { importCatalog } from './import-catalog.ts';
import { pushStock } from './push-stock.ts';

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
  readonly say: (line: string) => void;
}

/** The guided tour of the three paths: a catalog file, stock changes, a shipping label. */
export async function takeTour(
  context: Omit<TourContext, 'marketplace'>,
  credentials: OtherMarketplace,
): Promise<TourLine[]> {
  const transport = createHttpTransport();
  const marketplace = createMarketplaceClient({
    baseUrl: credentials.baseUrl,
    partnerClientId: credentials.partnerClientId,
    secretKey: { read: async () => credentials.partnerSecretKey },
    transport,
    clock: Date,
  });
  const tour = { ...context, marketplace };
  try {
    const lines = [await importCatalog(tour), await pushStock(tour)];
    const label = await fetchLabel(tour);
    return label === undefined ? lines : [...lines, label];
  } finally {
    await transport.close();
  }
}
