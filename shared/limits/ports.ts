import type { Limit } from './model.ts';

/** What must hold of the limit for a change to be made. */
export type LimitCondition =
  | readonly [
      field: 'nextSlotAt' | 'pausedUntil' | 'slowedAt' | 'stop.retryAt',
      comparison: '<' | '<=' | '=' | '>=',
      value: number,
    ]
  /** How many permits are out. */
  | readonly [field: 'permits', comparison: '<', value: number]
  | readonly [field: 'stop', comparison: 'absent'];

/** A change of the limit that needs no knowledge of what stands there, but for its conditions. */
export interface LimitChange {
  /** All must hold. Default: none. */
  readonly where?: readonly LimitCondition[];
  readonly set?: Partial<Omit<Limit, 'limitId' | 'permits'>>;
  readonly add?: Partial<Record<'nextSlotAt' | 'granted', number>>;
  /** When each expires, by its ID. */
  readonly addPermits?: Readonly<Record<string, number>>;
  /** IDs; one that is not there does no harm. */
  readonly removePermits?: readonly string[];
  readonly removeStop?: boolean;
}

/** The Limits table. */
export interface LimitTable {
  /** Strongly consistent. */
  get(limitId: string): Promise<Limit | undefined>;
  /** Makes the limit where there is none. */
  create(limit: Limit): Promise<void>;
  /** Makes a change as one conditional write; the limit after it, `undefined` where a condition does not hold. */
  change(limitId: string, change: LimitChange): Promise<Limit | undefined>;
}
