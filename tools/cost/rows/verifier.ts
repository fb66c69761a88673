import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { skuOf } from '../../../local/run/catalog.ts';
import { createVerificationTable } from '../../../shared/aws/verification-table.ts';
import { importFile, takeSummaries } from '../import-file.ts';
import type { Stage } from '../stage.ts';
import { billOf, type CostRow } from './row.ts';

const STORE = 'store-1wh';
const PRODUCTS = 50;
const STORES = 1_000;
/** The schedule of the listing-verifier: every 5 minutes. */
const RUNS_PER_MONTH = 30 * 24 * 12;
/** With the default of `verifierCycleHours`. */
const CYCLES_PER_MONTH = STORES * 30 * 2;
/** Both lists of products, of one page each. */
const READS_PER_CYCLE = 2;

/** Gives each product of the store a price and a stock, and lets them reach the marketplace. */
async function fillStore(stage: Stage): Promise<void> {
  await importFile(stage, { storeClientId: STORE, rows: PRODUCTS, first: 1 });
  await takeSummaries(stage);
  const skus = Array.from({ length: PRODUCTS }, (_, index) => skuOf(index + 1));
  const detail = { storeClientId: STORE, version: 1 };
  await stage.run.partner.putEvents([
    { detailType: 'stock.changed', detail: { ...detail, items: skus.map((sku) => ({ sku, stock: 7 })) } },
    {
      detailType: 'price.changed',
      detail: { ...detail, items: skus.map((sku) => ({ sku, price: 70_000 })) },
    },
  ]);
  await stage.drain('Changes');
  await stage.drain('Wake');
}

/** The next cycle of the store is due, and that of no other store. */
async function makeDue(stage: Stage): Promise<void> {
  const verifications = createVerificationTable(stage.client, stage.tableName('Verifications'));
  const { last } = (await verifications.get(STORE)) ?? {};
  if (last === undefined) throw new Error(`no cycle of ${STORE} has ended`);
  const stores = stage.tableName('Stores');
  const { Item } = await stage.client.send(
    new GetCommand({ TableName: stores, Key: { storeClientId: STORE } }),
  );
  for (let number = 1; number < STORES; number += 1) {
    const storeClientId = `listed-${number}`;
    await stage.client.send(new PutCommand({ TableName: stores, Item: { ...Item, storeClientId } }));
    await verifications.update(storeClientId, () => ({ storeClientId, last }));
  }
  const startedAt = new Date(0).toISOString();
  await verifications.update(STORE, (current) => current && { ...current, last: { ...last, startedAt } });
}

/** One run. @throws Error if it sends another number of reads: what it cost would say nothing */
async function verify(stage: Stage, reads: number): Promise<void> {
  const { controls } = stage.run;
  const since = (await controls?.requests())?.requests.at(-1)?.sequence ?? 0;
  await stage.invoke('ListingVerifier', {}, reads);
  const { requests = [] } = (await controls?.requests(since)) ?? {};
  const sent = requests.filter(({ sequence }) => sequence > since).length;
  if (sent !== reads) throw new Error(`the listing-verifier has sent ${sent} reads, not ${reads}`);
}

export const verifierRows: readonly CostRow[] = [
  {
    title: 'the listing-verifier over 1,000 stores of 50 products, a month',
    per: 'period',
    measure: async (stage) => {
      await fillStore(stage);
      // The first cycle of all stores writes what it sees.
      await stage.invoke('ListingVerifier', {});
      await makeDue(stage);
      const cycle = await billOf(stage, CYCLES_PER_MONTH, () => verify(stage, READS_PER_CYCLE));
      const idle = await billOf(stage, 1, () => verify(stage, 0));
      // A run that has a cycle to do also looks which stores are due.
      return cycle.plus(idle.times(RUNS_PER_MONTH - CYCLES_PER_MONTH));
    },
  },
];
