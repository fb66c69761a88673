import type { Bill } from '../meter/bill.ts';
import type { Stage } from '../stage.ts';

/** One line of the cost table. */
export interface CostRow {
  /** As the page has it. */
  readonly title: string;
  /** Whether `usd` is of a million, or of a day or month that the title names. */
  readonly per: 'million' | 'period';
  /** Plays the case once and gives what it costs. */
  measure(stage: Stage): Promise<Bill>;
}

/** What `work` adds to the bill, times `factor`. */
export async function billOf(stage: Stage, factor: number, work: () => Promise<void>): Promise<Bill> {
  stage.bill.clear();
  await work();
  return stage.bill.times(factor);
}

export const MILLION = 1_000_000;
