import { afterAll, beforeAll, expect, test } from 'vitest';
import { externalIdOf, simpleProduct, variantProduct } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';
import { BROKEN_PRODUCTS } from './support/broken-rows.ts';
import { disturbProducts, hastyBatches, sweepRepeatedly } from './support/product-chaos.ts';

/** Number of products; the full test has `PRODUCTS=5000`. */
const COUNT = Number(process.env.PRODUCTS ?? 500);
/** One in this many breaks a rule. */
const BROKEN_EVERY = 50;
/** One in this many has variants. */
const VARIANTS_EVERY = 4;
/** Products of one event, alternating between both shapes and both kinds of command. */
const PER_EVENT = 50;
const SETTLE_WITHIN_MS = 90_000 + COUNT * 100;

const storeClientId = 'store-1wh';

let run: ConnectorRun;

beforeAll(async () => {
  run = await startQuickRun({ template: await hastyBatches(), schedules: 'manual' });
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

const isBroken = (number: number) => number % BROKEN_EVERY === 0;
const numbers = Array.from({ length: COUNT }, (_, index) => index + 1);
const valid = numbers.filter((number) => !isBroken(number)).map(externalIdOf);

function productOf(number: number): unknown {
  if (!isBroken(number))
    return number % VARIANTS_EVERY === 0 ? variantProduct(number) : simpleProduct(number);
  const ways = Object.values(BROKEN_PRODUCTS);
  return ways[(number / BROKEN_EVERY) % ways.length]?.(number);
}

interface Batch {
  readonly batchId: string;
  readonly kind?: string;
  readonly state: string;
  readonly rows: { readonly sent: number; readonly accepted: number; readonly rejected: number };
}

/** Every entry of a paginated list of the operations API. */
async function listed<Entry>(path: string, name: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor = '';
  do {
    const { body } = await run.partner.callApi('GET', `${path}${cursor}`);
    entries.push(...body[name]);
    cursor = body.cursor === undefined ? '' : `&cursor=${encodeURIComponent(body.cursor)}`;
  } while (cursor !== '');
  return entries;
}

/** The batches without unmatched summaries, which belong to requests whose answer was lost. */
const batches = async () => {
  const records = await listed<Batch>(`/batches?storeClientId=${storeClientId}&limit=100`, 'batches');
  return records.filter(({ kind }) => kind !== undefined);
};
const rejections = () =>
  listed<{ rejectionId: string; code: string }>(
    `/stores/${storeClientId}/rejections?limit=500`,
    'rejections',
  );

/** Half of the products come as files, one with a line that is not JSON; half as events. */
async function give(): Promise<void> {
  const half = Math.floor(COUNT / 2);
  const lines = numbers.slice(0, half).map((number) => JSON.stringify(productOf(number)));
  const files = [lines.slice(0, half / 2), ['{"sku": ', ...lines.slice(half / 2)]];
  for (const [index, file] of files.entries()) {
    await run.partner.putImportFile(`catalog/${storeClientId}/part-${index}.ndjson`, `${file.join('\n')}\n`);
  }
  for (let start = half; start < COUNT; start += PER_EVENT) {
    const products = numbers.slice(start, start + PER_EVENT).map(productOf);
    const detailType = (start / PER_EVENT) % 2 === 0 ? 'catalog.sync.requested' : 'product.create.requested';
    await run.partner.putEvents([
      { detailType, detail: { storeClientId, commandId: `products-${start}`, products } },
    ]);
  }
}

test(`exactly the valid ones of ${COUNT} products exist, once, however functions, answers and summaries fail`, {
  // For the work to settle, and then for the last batches to end.
  timeout: 2 * SETTLE_WITHIN_MS + 60_000,
}, async () => {
  const sweeping = sweepRepeatedly(run);
  const disturbance = disturbProducts(run, {
    seed: 5,
    victims: ['ProductProducer', 'CatalogImporter', 'SummaryProcessor', 'WebhookReceiver'],
    kills: 5 + COUNT / 200,
    faults: COUNT / 25,
  });
  await give();
  await disturbance;
  await run.local.idle({ timeoutMs: SETTLE_WITHIN_MS });
  const ended = await until(
    'every batch at its end',
    async () => {
      const all = await batches();
      return all.every(({ state }) => state !== 'submitted') && all;
    },
    { withinMs: SETTLE_WITHIN_MS },
  );
  await sweeping.stop();

  const created = (await run.controls?.products(storeClientId))?.products;
  expect(created?.map(({ externalId }) => externalId).sort()).toEqual(valid.toSorted());
  const rejected = await rejections();
  // Each invalid product, and the line that is not JSON.
  expect(new Set(rejected.map(({ rejectionId }) => rejectionId)).size).toBe(COUNT - valid.length + 1);
  expect(ended.filter(({ state }) => state !== 'completed')).toEqual([]);
  const count = (name: keyof Batch['rows']) => ended.reduce((sum, { rows }) => sum + rows[name], 0);
  expect({ sent: count('sent'), accepted: count('accepted') }).toEqual({
    sent: valid.length,
    accepted: valid.length,
  });
  expect(await run.partner.deadLetters()).toEqual([]);
});
