import { importFile, takeSummaries } from '../import-file.ts';
import type { Bill } from '../meter/bill.ts';
import type { Stage } from '../stage.ts';
import { billOf, type CostRow, MILLION } from './row.ts';

const STORE = 'store-2wh';
const CATALOG_ROWS = 1_000;
const BATCHES = 10;

/** Number of the next product: each file has products of its own. */
let first = 100_000;

async function importNew(stage: Stage, rows: number): Promise<void> {
  await importFile(stage, { storeClientId: STORE, rows, first });
  first += rows;
}

/** The cost to receive and process a final summary, and the message for the listings of its products. */
async function summariesOf(stage: Stage, rows: number): Promise<Bill> {
  for (let batch = 0; batch < BATCHES; batch += 1) await importNew(stage, rows);
  return billOf(stage, MILLION / BATCHES, async () => {
    await takeSummaries(stage);
    await stage.drain('Changes');
  });
}

export const catalogRows: readonly CostRow[] = [
  {
    title: 'catalog rows, without their final summaries',
    per: 'million',
    measure: async (stage) => {
      const bill = await billOf(stage, MILLION / CATALOG_ROWS, () => importNew(stage, CATALOG_ROWS));
      await takeSummaries(stage);
      await stage.drain('Changes');
      return bill;
    },
  },
  { title: 'final summaries of 5 rows', per: 'million', measure: (stage) => summariesOf(stage, 5) },
  { title: 'final summaries of 100 rows', per: 'million', measure: (stage) => summariesOf(stage, 100) },
];
