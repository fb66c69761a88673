import type { Limit } from './model.ts';

/** The Limits table. */
export interface LimitTable {
  /** Strongly consistent. */
  get(limitId: string): Promise<Limit | undefined>;
  /**
   * Applies `change` to the newest limit and stores the result, as one conditional write; calls it again when another
   * writer came between. `change` returns `undefined` to leave the limit as it is.
   */
  update(
    limitId: string,
    change: (current: Limit | undefined) => Limit | undefined,
  ): Promise<Limit | undefined>;
}
