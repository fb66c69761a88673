import { importFile, takeSummaries } from './import-file.ts';
import type { Bill } from './meter/bill.ts';
import { catalogRows } from './rows/catalog.ts';
import { changeOnce, changeRows, PRODUCTS, STORE, steadyRows } from './rows/changes.ts';
import { orderRows } from './rows/orders.ts';
import { readRows } from './rows/reads.ts';
import type { CostRow } from './rows/row.ts';
import { verifierRows } from './rows/verifier.ts';
import { waitingRows } from './rows/waiting.ts';
import { startStage } from './stage.ts';

export interface MeasuredRow extends Pick<CostRow, 'title' | 'per'> {
  readonly bill: Bill;
}

/** Every case, in the order of the page. The last one leaves a lane that waits. */
const rows: readonly CostRow[] = [
  ...changeRows,
  ...steadyRows,
  ...orderRows,
  ...catalogRows,
  ...readRows,
  ...verifierRows,
  ...waitingRows,
];
export const caseTitles: readonly string[] = rows.map(({ title }) => title);

/** Plays the cases whose title contains `part`, all by default, and counts what each costs. */
export async function measureCosts(part = ''): Promise<MeasuredRow[]> {
  await using stage = await startStage();
  await importFile(stage, { storeClientId: STORE, rows: PRODUCTS, first: 1 });
  await takeSummaries(stage);
  await changeOnce(stage);
  const measured: MeasuredRow[] = [];
  for (const { title, per, measure } of rows.filter((row) => row.title.includes(part))) {
    measured.push({ title, per, bill: await measure(stage) });
  }
  return measured;
}
