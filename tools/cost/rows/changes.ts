import { skuOf } from '../../../local/run/catalog.ts';
import { until } from '../../../local/run/until.ts';
import { Bill } from '../meter/bill.ts';
import type { Meter } from '../prices.ts';
import type { Stage } from '../stage.ts';
import { billOf, type CostRow, MILLION } from './row.ts';

/** Whose products change. */
export const STORE = 'store-0wh';

/** Products of the store; each has been changed once before anything is counted. */
export const PRODUCTS = 300;
const ALONE = 5;
const CHANGES_EACH = 10;
const PER_EVENT = 100;

/** Epoch seconds of the newest change; each set of changes is newer than the one before. */
let clock = Math.floor(Date.now() / 1000) - 3_600;

interface Change {
  readonly product: number;
  readonly stock: number;
  readonly occurredAt: number;
}

/** A new stock of each product, above 0, at a later time than any before. */
function changesOf(products: number): Change[] {
  clock += 1;
  const occurredAt = clock * 1000;
  return Array.from({ length: products }, (_, index) => ({
    product: index + 1,
    stock: 1 + ((clock + index) % 90),
    occurredAt,
  }));
}

async function send({ run }: Stage, changes: readonly Change[], perEvent = 1): Promise<void> {
  const events = Array.from({ length: Math.ceil(changes.length / perEvent) }, (_, index) => {
    const some = changes.slice(index * perEvent, (index + 1) * perEvent);
    const items = some.map(({ product, stock }) => ({ sku: skuOf(product), stock }));
    const occurredAt = new Date(some[0]?.occurredAt ?? 0).toISOString();
    return { detailType: 'stock.changed', detail: { storeClientId: STORE, occurredAt, items } };
  });
  await run.partner.putEvents(events);
}

/** @throws Error where a value has not reached the marketplace: what it cost would say nothing */
async function take(stage: Stage, newest: readonly Change[]): Promise<void> {
  await stage.drain('Changes');
  await stage.drain('Wake');
  const { products = [] } = (await stage.run.controls?.products(STORE)) ?? {};
  const stocks = new Map(products.map(({ sku, stock }) => [sku, stock]));
  const wrong = newest.filter(({ product, stock }) => stocks.get(skuOf(product)) !== stock);
  if (wrong.length > 0) throw new Error(`${wrong.length} values have not reached the marketplace`);
}

/** Gives every product its first listing, so that what is counted are changes of listings that there are. */
export async function changeOnce(stage: Stage): Promise<void> {
  const changes = changesOf(PRODUCTS);
  await send(stage, changes, PER_EVENT);
  await take(stage, changes);
}

const PER_SECOND = 5_000;
const HOURS_PER_MONTH = 30 * 24;
/** Part of the provisioned units that is used: load is never even. */
const USED = 0.7;

interface SteadyMonth {
  readonly bill: Bill;
  /** The part of it that is about the Listings table. */
  readonly ofListings: Bill;
}

/** A month of {@link PER_SECOND} changes, by what a small part of them costs. */
async function steadyMonth(stage: Stage): Promise<SteadyMonth> {
  const factor = (PER_SECOND * HOURS_PER_MONTH * 3600) / PRODUCTS;
  stage.ofListings.clear();
  const bill = await billOf(stage, factor, async () => {
    const changes = changesOf(PRODUCTS);
    await send(stage, changes, PER_EVENT);
    await take(stage, changes);
  });
  return { bill, ofListings: stage.ofListings.times(factor) };
}

/** The month with the Listings table provisioned for what it uses. */
function withProvisionedListings({ bill, ofListings }: SteadyMonth): Bill {
  const perHour = (meter: Meter) => ofListings.units(meter) / 3600 / USED;
  const provisioned = new Bill();
  provisioned.add('provisionedWrite', perHour('writeUnit'));
  provisioned.add('provisionedRead', perHour('readUnit'));
  return bill.plus(ofListings.times(-1)).plus(provisioned);
}

/** The month at a steady rate; the last rows of the changes. */
export const steadyRows: readonly CostRow[] = [
  {
    title: '5,000 stock changes a second, 100 to an event, a month',
    per: 'period',
    measure: async (stage) => (await steadyMonth(stage)).bill,
  },
  {
    title: '5,000 stock changes a second, 100 to an event, a month, with a provisioned Listings table',
    per: 'period',
    measure: async (stage) => withProvisionedListings(await steadyMonth(stage)),
  },
];

export const changeRows: readonly CostRow[] = [
  {
    title: 'stock changes, one to an event, distinct products',
    per: 'million',
    measure: (stage) =>
      billOf(stage, MILLION / PRODUCTS, async () => {
        const changes = changesOf(PRODUCTS);
        await send(stage, changes);
        await take(stage, changes);
      }),
  },
  {
    title: 'stock changes, 100 to an event, distinct products',
    per: 'million',
    measure: (stage) =>
      billOf(stage, MILLION / PRODUCTS, async () => {
        const changes = changesOf(PRODUCTS);
        await send(stage, changes, PER_EVENT);
        await take(stage, changes);
      }),
  },
  {
    title: 'rows of a stock file, followed to their end',
    per: 'million',
    measure: (stage) =>
      billOf(stage, MILLION / PRODUCTS, async () => {
        const changes = changesOf(PRODUCTS);
        const rows = changes.map(({ product, ...row }) => JSON.stringify({ sku: skuOf(product), ...row }));
        await stage.run.partner.putImportFile(`stock/${STORE}/${clock}.ndjson`, rows.join('\n'));
        await until('the notice of the file', async () => (await stage.receive('CatalogImport')) > 0);
        await take(stage, changes);
        await stage.drain('CatalogImport');
      }),
  },
  {
    title: "ten changes of a product, one to an event, interleaved with other products'",
    per: 'million',
    measure: (stage) =>
      billOf(stage, MILLION / (PER_EVENT * CHANGES_EACH), async () => {
        const rounds = Array.from({ length: CHANGES_EACH }, () => changesOf(PER_EVENT));
        for (const changes of rounds) await send(stage, changes);
        await take(stage, rounds.at(-1) ?? []);
      }),
  },
  {
    title: 'one stock change alone, on an idle stack',
    per: 'million',
    measure: (stage) =>
      billOf(stage, MILLION / ALONE, async () => {
        for (let round = 0; round < ALONE; round += 1) {
          const changes = changesOf(1);
          await send(stage, changes);
          await take(stage, changes);
        }
      }),
  },
];
