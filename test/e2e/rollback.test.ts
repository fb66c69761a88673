import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTemplate } from '../../local/aws/index.ts';
import { ndjsonCatalog, skuOf } from '../../local/run/catalog.ts';
import {
  type ConnectorRun,
  type ConnectorRunOptions,
  startConnector,
} from '../../local/run/connector-run.ts';
import { quick } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';
import { startSandbox } from '../../sandbox/index.ts';
import { contestPrice } from '../../tools/screenshots/drifting-listings.ts';
import { verifyOften } from '../../tools/screenshots/often-verified.ts';
import { layPreviousVersion } from '../upgrade/previous-version.ts';
import { importProducts } from './support/import-products.ts';
import { runbookWorld } from './support/runbook-world.ts';

/** What waits for a person, or was begun, when another version is deployed: an update and a way back must both keep it. */

const store = 'store-0wh';
const ofFile = 'store-1wh';
const stores = { [store]: `token-${store}`, [ofFile]: `token-${ofFile}` };
const partner = { partnerClientId: 'sandbox-partner', partnerSecretKey: 'sandbox-partner-secret' };
const PRODUCTS = 5;
const skus = Array.from({ length: PRODUCTS }, (_, index) => skuOf(index + 1));
/** The product whose price someone else sets again and again. The prices of the others are cut. */
const contested = skuOf(PRODUCTS);
const PRICE = 1_000;
const CUT_PRICE = 10;
/** Its change is too small to be held. */
const NEW_PRICE = 900;
/** Products of the first and of the last section of the file. The rows between them are broken, as each of those takes a write. */
const FILE = { good: 20, bad: 2_400 };
/** About 100 of them fill a section, which one invocation always ends. */
const BROKEN = `{oops${'x'.repeat(10_000)}\n`;
/** Until what a killed importer had is delivered again: longer than it takes to settle the first products. */
const IMPORT_SECONDS = { Timeout: 10, VisibilityTimeout: 15 };
const PATIENT = { withinMs: 120_000, everyMs: 500 };

/** Starts a version with short times. */
async function startVersion(templatePath: string | undefined, options: ConnectorRunOptions) {
  const version = templatePath === undefined ? {} : { templatePath };
  const template = quick(await readTemplate(version));
  verifyOften(template);
  for (const [id, { Properties = {} }] of Object.entries(template.Resources)) {
    if (id.startsWith('CatalogImporterFunction')) Properties.Timeout = IMPORT_SECONDS.Timeout;
    if (id.startsWith('QueuesCatalogImportQueue') && 'RedrivePolicy' in Properties)
      Properties.VisibilityTimeout = IMPORT_SECONDS.VisibilityTimeout;
  }
  return startConnector({ ...options, ...version, template });
}

function worldOf(run: ConnectorRun) {
  const world = runbookWorld(run);
  const get = async (path: string) => (await run.partner.callApi('GET', path)).body;
  const pricesOf = async () => {
    const { products } = await world.controls.products(store);
    return skus.map((one) => products.find(({ sku }) => sku === one)?.history.price.at(-1)?.price);
  };
  return {
    ...world,
    run,
    sendPrices: (version: number, prices: Readonly<Record<string, number>>) => {
      const items = Object.entries(prices).map(([sku, price]) => ({ sku, price }));
      return run.partner.putEvents([
        { detailType: 'price.changed', detail: { storeClientId: store, version, items } },
      ]);
    },
    pricesAre: (prices: readonly number[]) =>
      until(
        `prices of ${prices}`,
        async () => {
          await run.local.triggerSchedule('LaneWaker');
          return String(await pricesOf()) === String(prices);
        },
        PATIENT,
      ),
    importOfFile: async () => (await get(`/imports?storeClientId=${ofFile}`)).imports[0],
    productsOfFile: async () => (await world.controls.products(ofFile)).products,
  };
}
type World = ReturnType<typeof worldOf>;

async function holdPrices({ run, sendPrices, waitsFor }: World): Promise<void> {
  const limits = { maxListingsPercent: 20, maxChangePercent: 50, windowMinutes: 60 };
  expect((await run.partner.callApi('PUT', `/stores/${store}/price-guard`, limits)).status).toBe(200);
  const cut = skus.filter((sku) => sku !== contested);
  await sendPrices(2, Object.fromEntries(cut.map((sku) => [sku, CUT_PRICE])));
  await waitsFor('prices-held', store);
}

/** Has a file read in part: its first products are accepted, no request is open, and most rows are left. */
async function readInPart({ run, batchesOf, importOfFile, productsOfFile }: World): Promise<void> {
  const { good, bad } = FILE;
  const text = `${ndjsonCatalog(good)}${BROKEN.repeat(bad)}${ndjsonCatalog(good, good + 1)}`;
  await run.partner.putImportFile(`catalog/${ofFile}/large.ndjson`, text);
  await until('the first products', async () => (await productsOfFile()).length > 0, {
    ...PATIENT,
    everyMs: 50,
  });
  expect(run.local.functions.kill('CatalogImporter')).toBe(true);
  await until(
    'the end of their batch',
    async () => (await batchesOf(ofFile))[0]?.state === 'completed',
    PATIENT,
  );
  expect((await importOfFile()).state).toBe('reading');
}

/** Has a person decide what waits, and the rest of the file be read. */
async function settleAll(world: World, orderId: string): Promise<void> {
  const { run, controls, attention, importOfFile, productsOfFile, sendPrices, pricesAre } = world;
  expect((await attention()).map(({ kind }) => kind).sort()).toEqual(['order-unknown', 'prices-held']);
  await run.partner.callApi('POST', `/stores/${store}/release`);
  await sendPrices(3, { [contested]: NEW_PRICE });
  const resolution = { orderId, action: 'decision', outcome: 'done' };
  await run.partner.callApi('POST', `/stores/${store}/orders/resolve`, resolution);
  await pricesAre(skus.map((sku) => (sku === contested ? NEW_PRICE : CUT_PRICE)));
  const hasEnded = async () => !['reading', 'open'].includes((await importOfFile()).state);
  const progress = async () => JSON.stringify(await importOfFile());
  await until('the end of the file', hasEnded, { ...PATIENT, progress });
  const { good, bad } = FILE;
  expect(await importOfFile()).toMatchObject({
    state: 'completed_with_errors',
    rows: { read: 2 * good + bad, accepted: 2 * good, rejected: { ROW_NOT_JSON: bad }, open: 0 },
  });
  expect(await productsOfFile()).toHaveLength(2 * good);
  expect((await controls.order(orderId)).decisions).toHaveLength(1);
  await until('nothing waits for a person', async () => (await attention()).length === 0);
  expect(await run.partner.deadLetters()).toEqual([]);
  expect(run.local.accessDenied).toEqual([]);
}

test.each([
  {
    title:
      'this version ends what the previous one has begun: held prices, an order of unknown outcome, a file that was read in part',
    isBack: false,
  },
  {
    title:
      'the previous version, after a way back, ends what this one has begun: held prices, an order of unknown outcome, a file that was read in part; a contested listing takes a new price',
    isBack: true,
  },
])(
  '$title',
  async ({ isBack }) => {
    await using cleanup = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), 'rollback-'));
    cleanup.defer(() => rm(directory, { recursive: true }));
    const previous = await layPreviousVersion(join(directory, 'previous'));
    const marketplace = await startSandbox({ port: 0 });
    cleanup.defer(() => marketplace.close());
    const options: ConnectorRunOptions = {
      marketplace: { baseUrl: marketplace.url, ...partner },
      dataDirectory: join(directory, 'data'),
      schedules: 'manual',
    };

    await using deployed = new AsyncDisposableStack();
    const before = deployed.use(await startVersion(isBack ? undefined : previous, { ...options, stores }));
    const world = worldOf(before);
    await importProducts(before, store, PRODUCTS);
    await world.sendPrices(1, Object.fromEntries(skus.map((sku) => [sku, PRICE])));
    await world.pricesAre(skus.map(() => PRICE));
    // The previous version has no listing-verifier.
    if (isBack) await contestPrice(before, store, { sku: contested, price: PRICE });
    await holdPrices(world);
    const orderId = await world.loseDecision(store, 'after');
    await world.waitsFor('order-unknown', store);
    await before.local.idle();
    await readInPart(world);
    const ports = {
      aws: Number(new URL(before.local.endpoint).port),
      api: Number(new URL(before.local.apiUrl).port),
    };
    await deployed.disposeAsync();

    await using run = await startVersion(isBack ? previous : undefined, {
      ...options,
      ports,
      isSecretUnset: true,
    });
    await run.partner.putSecret({ partnerSecretKey: partner.partnerSecretKey });
    await settleAll(worldOf(run), orderId);
  },
  600_000,
);
