import type { Change } from '../chaos/changes.ts';
import { faultsOf } from '../chaos/history.ts';
import type { ConnectorRun } from '../run/connector-run.ts';
import { until } from '../run/until.ts';
import { createSignedSender } from './signed-sender.ts';

const STOCK_PATH = '/partner/stores/inventory';
const PRICE_PATH = '/partner/stores/products/prices';
const ROWS_PER_REQUEST = 100;
const SETTLE_WITHIN_MS = 120_000;

export interface Contest {
  readonly run: ConnectorRun;
  readonly storeClientId: string;
  /** In the order in which the contender receives them. */
  readonly arrivals: readonly Change[];
  readonly requestsPerSecond: number;
}

/** A way to send changes to the marketplace; resolves when nothing is left to send. */
export type Contender = (contest: Contest) => Promise<void>;

/** The connector first, then the alternatives that are compared with it. */
export const contenders: Readonly<Record<string, Contender>> = {
  connector: async ({ run, storeClientId, arrivals }) => {
    await run.partner.putEvents(
      arrivals.map(({ detailType, version, sku, item }) => ({
        detailType,
        detail: { storeClientId, version, items: [{ sku, ...item }] },
      })),
    );
    const bySku = Map.groupBy(arrivals, ({ sku }) => sku);
    await until(
      'the newest values',
      async () => {
        const { products } = (await run.controls?.products(storeClientId)) ?? { products: [] };
        return products.every((product) => faultsOf(product, bySku.get(product.sku) ?? []).length === 0);
      },
      { withinMs: SETTLE_WITHIN_MS, everyMs: 200 },
    );
  },

  'a request for each change': async (contest) => {
    const send = senderOf(contest);
    for (const { detailType, sku, item } of contest.arrivals)
      await send(pathOf(detailType), [{ sku, ...item }]);
  },

  'a request for 100 changes': async (contest) => {
    const send = senderOf(contest);
    for (const [detailType, changes] of Map.groupBy(contest.arrivals, (change) => change.detailType)) {
      for (let start = 0; start < changes.length; start += ROWS_PER_REQUEST) {
        const part = changes.slice(start, start + ROWS_PER_REQUEST);
        await send(
          pathOf(detailType),
          part.map(({ sku, item }) => ({ sku, ...item })),
        );
      }
    }
  },
};

function senderOf({ run, storeClientId, requestsPerSecond }: Contest) {
  const storeToken = run.tokens[storeClientId] ?? '';
  return createSignedSender(run.marketplace, { storeClientId, storeToken }, requestsPerSecond);
}

function pathOf(detailType: Change['detailType']): string {
  return detailType === 'stock.changed' ? STOCK_PATH : PRICE_PATH;
}
