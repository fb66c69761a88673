import { skuOf } from '../../../local/run/catalog.ts';
import type { Random } from '../../../test/simulation/engine/random.ts';

/** Changes that became true at one time, as one event brings them: each of another target. */
export interface Tick {
  readonly detailType: 'stock.changed' | 'price.changed';
  /** Increases from tick to tick. It is also the value of each of its changes, so that a value shows its version. */
  readonly version: number;
  readonly skus: readonly string[];
}

export interface PlanOptions {
  readonly changes: number;
  readonly targets: number;
  /** Version before the first. */
  readonly after: number;
}

export interface Plan {
  /** In the order in which contenders get them: some late, some twice. */
  readonly arrivals: readonly Tick[];
  /** Newest value of each register, `stock SKU-…` or `price SKU-…`. */
  readonly newest: ReadonlyMap<string, number>;
}

export const ROWS_PER_REQUEST = 100;
/** Part of the targets that changes at one time, up to a request's worth. */
const TICK_SHARE = 0.1;
const PRICE_SHARE = 0.4;
const REPEAT_SHARE = 0.1;
/** Most changes are of few targets, as with products that sell: a third of the targets has about a seventh of the changes. */
const SKEW = 3;
/** Ticks by which one may arrive late. */
const MOST_LATE = 5;

/** Plans changes over targets; equal random numbers give equal changes. */
export function planTicks({ changes, targets, after }: PlanOptions, random: Random): Plan {
  const rows = Math.max(1, Math.min(ROWS_PER_REQUEST, Math.round(targets * TICK_SHARE)));
  const newest = new Map<string, number>();
  const ticks = Array.from({ length: Math.ceil(changes / rows) }, (_, index): Tick => {
    const version = after + 1 + index;
    const first = Math.floor(random.next() ** SKEW * targets);
    const skus = Array.from({ length: rows }, (_row, row) => skuOf(((first + row) % targets) + 1));
    return { detailType: random.chance(PRICE_SHARE) ? 'price.changed' : 'stock.changed', version, skus };
  });
  for (const { detailType, version, skus } of ticks)
    for (const sku of skus) newest.set(registerOf(detailType, sku), version);
  const twice = ticks.filter(() => random.chance(REPEAT_SHARE));
  const late = [...ticks, ...twice].map((tick) => ({
    tick,
    at: tick.version + random.integer(0, MOST_LATE),
  }));
  return { arrivals: late.toSorted((a, b) => a.at - b.at).map(({ tick }) => tick), newest };
}

export function registerOf(detailType: Tick['detailType'], sku: string): string {
  return `${detailType === 'stock.changed' ? 'stock' : 'price'} ${sku}`;
}
