import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ndjsonCatalog, skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';
import { hastyTemplate } from '../../tools/chaos/hasty-template.ts';

const PRODUCTS = 40;
const STORES = ['store-0wh', 'store-1wh'] as const;
const SETTLE_WITHIN_MS = 150_000;
const ALL = Array.from({ length: PRODUCTS }, (_, index) => index + 1);

let run: ConnectorRun;

beforeAll(async () => {
  run = await startQuickRun({ template: await hastyTemplate() });
  for (const store of STORES) {
    const key = `catalog/${store}/products.ndjson`;
    await run.partner.putImportFile(key, ndjsonCatalog(PRODUCTS));
    await importOf(store, key, 'completed');
  }
}, SETTLE_WITHIN_MS);

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

interface ShownImport {
  readonly key: string;
  readonly state: string;
  readonly importId: string;
  readonly report?: string;
  readonly rows: { readonly accepted: number; readonly superseded?: number };
  readonly batches: readonly { readonly batchId: string }[];
  readonly full?: { readonly state: string };
}

/** The import of a file, once it is in one of the states. */
function importOf(store: string, key: string, ...states: string[]): Promise<ShownImport> {
  return until(
    `the import of ${key} as ${states.join(' or ')}`,
    async () => {
      const { body } = await run.partner.callApi('GET', `/imports?storeClientId=${store}&limit=50`);
      const found = body.imports.find((one: ShownImport) => one.key === key);
      return states.includes(found?.state) && found;
    },
    { withinMs: SETTLE_WITHIN_MS, everyMs: 200 },
  );
}

/** What the marketplace has of each product, by its number. */
async function live(store: string): Promise<Map<number, { stock: number; price: number }>> {
  const { products = [] } = (await run.controls?.products(store)) ?? {};
  return new Map(
    products.map(({ sku, stock, price }) => [Number(String(sku).slice(4)), { stock, price }] as never),
  );
}

async function stocksBecome(store: string, expected: ReadonlyMap<number, number>): Promise<void> {
  let seen: unknown;
  await until(
    'the stock at the marketplace',
    async () => {
      const products = await live(store);
      seen = [...products].map(([number, { stock }]) => [number, stock]);
      return [...expected].every(([number, stock]) => products.get(number)?.stock === stock);
    },
    { withinMs: SETTLE_WITHIN_MS, everyMs: 200 },
  ).catch((error: Error) => {
    throw new Error(
      `${error.message}; wanted ${JSON.stringify([...expected])}, seen ${JSON.stringify(seen)}`,
    );
  });
}

const stockOf = (numbers: readonly number[], stockFor: (number: number) => number) =>
  `sku,stock\n${numbers.map((number) => `${skuOf(number)},${stockFor(number)}\n`).join('')}`;
const stockEvent = (storeClientId: string, number: number, stock: number, occurredAt: number) => ({
  detailType: 'stock.changed',
  detail: { storeClientId, occurredAt, items: [{ sku: skuOf(number), stock }] },
});

describe('a file of stock', () => {
  test(
    'loses row by row to newer events, and wins over older ones, whichever comes first',
    async () => {
      const store = 'store-0wh';
      const key = `stock/${store}/all.csv.gz`;
      const [older, newer] = [Date.now() - 3_600_000, Date.now() + 120_000];
      const events = (numbers: readonly number[]) =>
        numbers.map((number) =>
          number % 2 === 0
            ? stockEvent(store, number, 7_000 + number, newer)
            : stockEvent(store, number, 8_000 + number, older),
        );
      await run.partner.putEvents(events(ALL.slice(0, 10)));
      await run.partner.putImportFile(key, gzipSync(stockOf(ALL, (number) => 1_000 + number)));
      await run.partner.putEvents(events(ALL.slice(10, 20)));
      const imported = await importOf(store, key, 'completed');
      expect(imported).toMatchObject({
        storeClientId: store,
        rows: { read: PRODUCTS, sent: PRODUCTS, rejected: {}, open: 0 },
      });
      // Those that a newer event replaced: it came before or after the row was sent.
      const { accepted, superseded = 0 } = imported.rows;
      expect(accepted + superseded).toBe(PRODUCTS);
      expect(superseded).toBeGreaterThanOrEqual(5);
      const isNewer = (number: number) => number <= 20 && number % 2 === 0;
      await stocksBecome(
        store,
        new Map(ALL.map((number) => [number, (isNewer(number) ? 7_000 : 1_000) + number])),
      );
    },
    SETTLE_WITHIN_MS,
  );

  test(
    'is taken once and whole while its functions are killed',
    async () => {
      const store = 'store-0wh';
      const [rounds, badPerRound] = [30, 200];
      const key = `stock/${store}/killed.ndjson`;
      const start = Date.now() + 120_000;
      // The newest values come first.
      const lines = Array.from({ length: rounds }, (_, round) => {
        const rows = ALL.map((number) =>
          JSON.stringify({ sku: skuOf(number), stock: 2_000 + number + round, occurredAt: start - round }),
        );
        return `${rows.join('\n')}\n${'{oops\n'.repeat(badPerRound)}`;
      });
      const [good, bad] = [rounds * PRODUCTS, rounds * badPerRound];
      await run.partner.putImportFile(key, lines.join(''));
      for (const name of ['CatalogImporter', 'ChangeIntake', 'CatalogImporter'] as const) {
        const hasEnded = async () => {
          const { body } = await run.partner.callApi('GET', `/imports?storeClientId=${store}`);
          const found = body.imports.find((one: ShownImport) => one.key === key);
          return ['completed', 'completed_with_errors'].includes(found?.state);
        };
        await until(
          `a running ${name}, or the end`,
          async () => run.local.functions.kill(name) || hasEnded(),
        );
      }
      expect(await importOf(store, key, 'completed_with_errors')).toMatchObject({
        rows: {
          read: good + bad,
          sent: good,
          // The newest values come first, and replace all others of the file.
          accepted: PRODUCTS,
          superseded: good - PRODUCTS,
          rejected: { ROW_NOT_JSON: bad },
          open: 0,
        },
      });
      await stocksBecome(store, new Map(ALL.map((number) => [number, 2_000 + number])));
    },
    2 * SETTLE_WITHIN_MS,
  );
});

test(
  'a file of prices has its bad rows rejected alone, with their lines, and gives them back in a report',
  async () => {
    const store = 'store-1wh';
    const key = `prices/${store}/some.csv`;
    const text = [
      'sku,price,specialPrice,occurredAt',
      `${skuOf(1)},51000,,2026-01-02T08:30:00Z`,
      `${skuOf(2)},-1,,2026-01-02T08:30:00Z`,
      `${skuOf(3)},53000,43000,2026-01-02T08:30:01Z`,
      `${skuOf(4)},54000,,yesterday`,
    ].join('\n');
    await run.partner.putImportFile(key, text);
    const imported = await importOf(store, key, 'completed_with_errors');
    expect(imported).toMatchObject({
      rows: { read: 4, sent: 2, accepted: 2, rejected: { ROW_INVALID: 2 }, open: 0 },
    });
    const report = await run.partner.getImportFile(imported.report ?? '');
    expect(
      report
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        sku: skuOf(2),
        price: -1,
        occurredAt: '2026-01-02T08:30:00Z',
        _rejection: expect.objectContaining({
          code: 'ROW_INVALID',
          field: 'price',
          number: 3,
          text: `${skuOf(2)},-1,,2026-01-02T08:30:00Z`,
        }),
      },
      {
        sku: skuOf(4),
        price: 54_000,
        occurredAt: 'yesterday',
        _rejection: expect.objectContaining({ code: 'ROW_INVALID', field: 'occurredAt', number: 5 }),
      },
    ]);
    const { body } = await run.partner.callApi('GET', `/stores/${store}/rejections?limit=500`);
    expect(body.rejections.map(({ origin }: { origin?: string }) => origin?.split('/').at(-1))).toEqual(
      expect.arrayContaining(['some.csv#3', 'some.csv#5']),
    );
    await until('the prices at the marketplace', async () => {
      const products = await live(store);
      return products.get(1)?.price === 51_000 && products.get(3)?.price === 53_000;
    });
    expect((await live(store)).get(2)?.price).toBe(10_020);
  },
  SETTLE_WITHIN_MS,
);

describe('a file of stock under full/', () => {
  const store = 'store-1wh';

  test(
    'sets the stock of what it does not name to 0, but not over a newer event',
    async () => {
      const key = `stock/${store}/first.csv`;
      await run.partner.putImportFile(
        key,
        stockOf(ALL, (number) => 100 + number),
      );
      await importOf(store, key, 'completed');
      await run.partner.putEvents([stockEvent(store, 39, 3_900, Date.now() + 60_000)]);
      await stocksBecome(store, new Map([[39, 3_900]]));
      const full = `stock/${store}/full/most.csv`;
      await run.partner.putImportFile(
        full,
        stockOf(ALL.slice(0, 36), (number) => 200 + number),
      );
      expect(await importOf(store, full, 'completed')).toMatchObject({
        full: { state: 'ended', known: PRODUCTS, missing: 3, zeroed: 3 },
        rows: { read: 36, accepted: 36, open: 0 },
      });
      const expected = ALL.map((number): [number, number] => [number, number <= 36 ? 200 + number : 0]);
      await stocksBecome(store, new Map([...expected, [39, 3_900]]));
    },
    SETTLE_WITHIN_MS,
  );

  test(
    'is held if it names less than half of the listings, until an operator releases or discards it',
    async () => {
      const few = stockOf(ALL.slice(0, 10), (number) => 300 + number);
      const keys = ['discarded', 'released'].map((name) => `stock/${store}/full/${name}.csv`);
      const [discarded = '', released = ''] = keys;
      await run.partner.putImportFile(discarded, few);
      const held = await importOf(store, discarded, 'held');
      expect(held.full).toMatchObject({ state: 'held', zeroed: 0, hold: { reason: expect.any(String) } });
      const { body } = await run.partner.callApi('GET', '/attention');
      expect(body.attention).toEqual([
        expect.objectContaining({
          kind: 'import-held',
          storeClientId: store,
          call: `POST /imports/${held.importId}/release`,
        }),
      ]);
      await stocksBecome(store, new Map([...ALL.slice(0, 10)].map((number) => [number, 300 + number])));
      expect((await live(store)).get(20)?.stock).toBe(220);
      const post = (importId: string, what: string) =>
        run.partner.callApi('POST', `/imports/${importId}/${what}`);
      expect(await post(held.importId, 'discard')).toMatchObject({
        status: 200,
        body: { full: { state: 'discarded' } },
      });
      await importOf(store, discarded, 'completed');
      expect(await post(held.importId, 'release')).toMatchObject({
        status: 409,
        body: { error: { code: 'IMPORT_NOT_HELD' } },
      });
      expect((await run.partner.callApi('GET', '/attention')).body.attention).toEqual([]);

      await run.partner.putImportFile(released, few);
      const again = await importOf(store, released, 'held');
      expect(await post(again.importId, 'release')).toMatchObject({ status: 202 });
      await importOf(store, released, 'completed');
      const isNamed = (number: number) => number <= 10;
      const expected = ALL.map((number): [number, number] => [number, isNamed(number) ? 300 + number : 0]);
      await stocksBecome(store, new Map([...expected, [39, 3_900]]));
    },
    SETTLE_WITHIN_MS,
  );
});

test.each([
  ['stock', 'sku,stock\nDRY-1,5\nDRY-2,many\n'],
  ['prices', 'sku,price\nDRY-1,5\nDRY-2,much\n'],
  ['catalog', `${ndjsonCatalog(1, 901)}{"sku":"DRY-2"}\n`],
] as const)(
  'a dry run of a file of %s checks its rows, sends nothing, and writes a report',
  async (kind, text) => {
    const store = 'store-2wh';
    const key = `dry-run/${kind}/${store}/a.${kind === 'catalog' ? 'ndjson' : 'csv'}`;
    await run.partner.putImportFile(key, text);
    const imported = await importOf(store, key, 'completed_with_errors');
    expect(imported).toMatchObject({
      dryRun: true,
      rows: { read: 2, sent: 0, accepted: 1, open: 0 },
      report: `reports/${key}/${imported.importId}.ndjson`,
    });
    const report = await run.partner.getImportFile(imported.report ?? '');
    const rejected = report
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rejected).toHaveLength(1);
    expect(rejected[0]._rejection).toMatchObject({ number: kind === 'catalog' ? 2 : 3 });
    expect(rejected[0].sku).toBe('DRY-2');
    await run.local.idle({ timeoutMs: SETTLE_WITHIN_MS });
    const { body } = await run.partner.callApi('GET', `/stores/${store}/rejections`);
    expect(body.rejections).toEqual([]);
    expect((await run.controls?.products(store))?.products).toEqual([]);
    const target = encodeURIComponent('sku:DRY-1');
    expect(await run.partner.callApi('GET', `/stores/${store}/listings?target=${target}`)).toMatchObject({
      status: 404,
    });
    const { body: all } = await run.partner.callApi('GET', '/imports?storeClientId=-');
    expect(all.imports).toEqual([]);
  },
  SETTLE_WITHIN_MS,
);

test(
  'a file with a product that the marketplace does not have ends with errors, its batch, and the row with its text',
  async () => {
    const store = 'store-1wh';
    const key = `stock/${store}/unknown.csv`;
    await run.partner.putImportFile(key, `sku,stock\n${skuOf(1)},51\n"NO, SUCH",7\n`);
    const imported = await importOf(store, key, 'completed_with_errors');
    expect(imported).toMatchObject({
      rows: { read: 2, sent: 2, accepted: 1, rejected: { INV_001: 1 }, open: 0 },
      batches: [{ kind: 'stock' }],
    });
    expect(JSON.parse(await run.partner.getImportFile(imported.report ?? ''))).toMatchObject({
      sku: 'NO, SUCH',
      stock: 7,
      _rejection: { code: 'INV_001', number: 3, text: '"NO, SUCH",7' },
    });
  },
  SETTLE_WITHIN_MS,
);
