import { setTimeout as pause } from 'node:timers/promises';
import { createMarketplaceClient } from '../../../shared/marketplace/client.ts';
import { createHttpTransport } from '../../../shared/marketplace/transport.ts';
import { ROWS_PER_REQUEST, registerOf, type Tick } from './plan.ts';

/**
 * The scripts that the connector is compared with, in a process of their own. They keep their changes in memory, send one
 * request after the other at the allowed rate with the connector's own client, and repeat a refused one after a second.
 */
const [kind = '', baseUrl = '', requestsPerSecond = '5'] = process.argv.slice(2);
const RETRY_MS = 1000;

/** A row to send. */
interface Row {
  readonly detailType: Tick['detailType'];
  readonly sku: string;
  readonly version: number;
}

/** What is to be sent, and in which requests. */
interface Work {
  add(row: Row): void;
  /** Rows of one request; `undefined` if nothing waits. */
  next(): readonly Row[] | undefined;
}

/** Rows of each kind in the order of their arrival, up to `most` to a request. */
function inOrder(most: number): Work {
  const waiting = { 'stock.changed': [] as Row[], 'price.changed': [] as Row[] };
  return {
    add: (row) => void waiting[row.detailType].push(row),
    next: () => {
      const { 'stock.changed': stocks, 'price.changed': prices } = waiting;
      const longer = stocks.length >= prices.length ? stocks : prices;
      return longer.length === 0 ? undefined : longer.splice(0, most);
    },
  };
}

/** The newest row of each register. It remembers in memory what it has sent, so that no older one follows. */
function newestOnly(most: number): Work {
  const waiting = new Map<string, Row>();
  const known = new Map<string, number>();
  return {
    add: (row) => {
      const register = registerOf(row.detailType, row.sku);
      if ((known.get(register) ?? 0) >= row.version) return;
      known.set(register, row.version);
      waiting.set(register, row);
    },
    next: () => {
      const [first] = waiting.values();
      if (first === undefined) return undefined;
      const some = [...waiting].filter(([, row]) => row.detailType === first.detailType).slice(0, most);
      for (const [register] of some) waiting.delete(register);
      return some.map(([, row]) => row);
    },
  };
}

const works: Readonly<Record<string, () => Work>> = {
  'each-change': () => inOrder(1),
  collecting: () => inOrder(ROWS_PER_REQUEST),
  'newest-per-sku': () => newestOnly(ROWS_PER_REQUEST),
};
const work = works[kind]?.();
if (work === undefined) throw new Error(`no script ${kind}; there are: ${Object.keys(works).join(', ')}`);

const client = createMarketplaceClient({
  baseUrl,
  partnerClientId: 'bench',
  secretKey: { read: async () => 'secret' },
  transport: createHttpTransport(),
  clock: Date,
});
const store = { storeClientId: 'store-bench', storeToken: 'token' };
let isBusy = false;

process.on('message', (ticks: readonly Tick[]) => {
  for (const { detailType, version, skus } of ticks) {
    for (const sku of skus) work.add({ detailType, sku, version });
  }
  say(true);
  // From here on the sender takes the changes for accepted.
  process.send?.('accepted');
});

/** Messages `idle` and `busy` tell the bench whether anything is left to send. */
function say(busy: boolean): void {
  if (busy !== isBusy) process.send?.(busy ? 'busy' : 'idle');
  isBusy = busy;
}

for (let nextAt = Date.now(); ; ) {
  const rows = work.next();
  say(rows !== undefined);
  if (rows === undefined) {
    await pause(20);
    continue;
  }
  await pause(Math.max(0, nextAt - Date.now()));
  nextAt = Date.now() + 1000 / Number(requestsPerSecond);
  while (!(await send(rows))) await pause(RETRY_MS);
}

/** @returns false if the request is to be repeated */
async function send(rows: readonly Row[]): Promise<boolean> {
  const isPrice = rows[0]?.detailType === 'price.changed';
  const request = isPrice
    ? client.updatePrices(store, { items: rows.map(({ sku, version }) => ({ sku, price: version })) })
    : client.updateStocks(store, { items: rows.map(({ sku, version }) => ({ sku, stock: version })) });
  return request.then(
    () => true,
    () => false,
  );
}
