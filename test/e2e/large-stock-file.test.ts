import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { skuOf } from '../../local/run/catalog.ts';
import { type ConnectorRun, startConnector } from '../../local/run/connector-run.ts';
import { until } from '../../local/run/until.ts';
import { templateWithLimit } from '../../tools/chaos/hasty-template.ts';
import { importProducts } from './support/import-products.ts';
import { peakMemoryMb } from './support/peak-memory.ts';

/** `STOCK_ROWS=200000` is the large form. */
const ROWS = Number(process.env.STOCK_ROWS ?? 2_000);
const PRODUCTS = Math.max(20, ROWS / 100);
/** While the file is read, so many events name one product each: some with each look at the import. */
const EVENTS = PRODUCTS;
const EVENTS_PER_LOOK = Math.ceil(EVENTS / 50);
const STORE = 'store-0wh';
/** Without progress. */
const WITHIN = { withinMs: 120_000, everyMs: Math.max(250, PRODUCTS) };
/** Each wait ends by itself. */
const NO_TIMEOUT = 0;
/** An hour ago: no time of a row is ahead. */
const START = Date.now() - 3_600_000;
/** Has no divisor in common with the number of rows: the times of rows are in no order, and no two are equal. */
const STRIDE = 7_919;

interface Change {
  readonly product: number;
  readonly stock: number;
  /** Epoch ms. */
  readonly occurredAt: number;
}

const rows = Array.from({ length: ROWS }, (_, index): Change => {
  return { product: 1 + (index % PRODUCTS), stock: index, occurredAt: START + 2 * ((index * STRIDE) % ROWS) };
});

/** Every other one is newer than all rows; the others lie between the times of rows. */
const events = Array.from({ length: EVENTS }, (_, index): Change => {
  const occurredAt = START + 1 + (index % 2 === 0 ? 2 * ROWS : ROWS) + 2 * index;
  return { product: 1 + ((index * STRIDE) % PRODUCTS), stock: ROWS + index, occurredAt };
});

/** The stock of each product that must be live at the end. */
const newest = new Map<number, Change>();
for (const change of [...rows, ...events]) {
  const { occurredAt = 0 } = newest.get(change.product) ?? {};
  if (change.occurredAt > occurredAt) newest.set(change.product, change);
}

let run: ConnectorRun;

beforeAll(
  async () => {
    run = await startConnector({
      template: await templateWithLimit({ requestsPerSecond: 50, requestsInFlight: 20 }),
    });
    await importProducts(run, STORE, PRODUCTS);
  },
  120_000 + 60 * PRODUCTS,
);

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

/** The state and the counts of the only file of stock. */
async function stockImport() {
  const { body } = await run.partner.callApi('GET', `/imports?storeClientId=${STORE}&limit=50`);
  return body.imports.find(({ key }: { key: string }) => key.startsWith('stock/'));
}

const memory = async () => ({
  'catalog-importer': await peakMemoryMb('CatalogImporter'),
  'change-intake': await peakMemoryMb('ChangeIntake'),
  'listing-producer': await peakMemoryMb('ListingProducer'),
});

async function report(part: string, begun: number): Promise<void> {
  if (process.env.STOCK_ROWS === undefined) return;
  const seconds = Math.round((Date.now() - begun) / 1000);
  process.stdout.write(`${JSON.stringify({ part, seconds, memoryMb: await memory() })}\n`);
}

test(
  'the newest of all rows and events of each product wins while a large file of stock is read',
  async () => {
    const begun = Date.now();
    const lines = rows.map(
      ({ product, stock, occurredAt }) =>
        `${skuOf(product)},${stock},${new Date(occurredAt).toISOString()}\n`,
    );
    const csv = `sku,stock,occurredAt\n${lines.join('')}`;
    await run.partner.putImportFile(`stock/${STORE}/large.csv.gz`, gzipSync(csv));
    let sent = 0;
    await until(
      'the whole file',
      async () => {
        const { state, rows: counts } = (await stockImport()) ?? {};
        if (sent < EVENTS) {
          await sendEvents(events.slice(sent, sent + EVENTS_PER_LOOK));
          sent += EVENTS_PER_LOOK;
          await report(`${Math.min(sent, EVENTS)} events sent, the file ${state}`, begun);
        }
        if (state !== 'completed') return false;
        await report(`${counts.read} rows read`, begun);
        return sent >= EVENTS;
      },
      { ...WITHIN, progress: async () => `${sent} ${JSON.stringify((await stockImport())?.rows)}` },
    );
    const { accepted, superseded, ...counts } = (await stockImport()).rows;
    expect(counts).toEqual({ read: ROWS, sent: ROWS, rejected: {}, open: 0 });
    expect(accepted + superseded).toBe(ROWS);
    const liveCount = async () => {
      const { products = [] } = (await run.controls?.products(STORE)) ?? {};
      const live = new Map(products.map(({ sku, stock }) => [sku, stock]));
      return [...newest.values()].filter(({ product, stock }) => live.get(skuOf(product)) === stock).length;
    };
    await until('the newest stock at the marketplace', async () => (await liveCount()) === newest.size, {
      ...WITHIN,
      progress: liveCount,
    });
    await report('all live', begun);
    await run.local.idle({ timeoutMs: WITHIN.withinMs });
    const { products = [] } = (await run.controls?.products(STORE)) ?? {};
    const wrong = products.filter(({ sku, stock }) => newest.get(Number(sku.slice(4)))?.stock !== stock);
    expect(wrong).toEqual([]);
  },
  NO_TIMEOUT,
);

async function sendEvents(some: readonly Change[]): Promise<void> {
  await run.partner.sendChanges(
    some.map(({ product, stock, occurredAt }) =>
      JSON.stringify({
        'detail-type': 'stock.changed',
        detail: { storeClientId: STORE, occurredAt, items: [{ sku: skuOf(product), stock }] },
      }),
    ),
  );
}
