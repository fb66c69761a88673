import type { Limit } from '../../shared/limits/model.ts';
import type { LimitChange, LimitCondition, LimitTable } from '../../shared/limits/ports.ts';
import { directly, type Step } from './step.ts';

/** The Limits table in memory; tables over the same `limits` are one table. */
export function inMemoryLimitTable(
  step: Step = directly,
  limits: Map<string, Limit> = new Map(),
): LimitTable {
  return {
    get: (limitId) => step(`limits.get ${limitId}`, () => limits.get(limitId)),

    create: (limit) =>
      step(`limits.create ${limit.limitId}`, () => {
        if (!limits.has(limit.limitId)) limits.set(limit.limitId, limit);
      }),

    change: (limitId, change) =>
      step(`limits.change ${limitId}`, () => {
        const limit = limits.get(limitId);
        if (limit === undefined || !(change.where ?? []).every((one) => holds(limit, one))) return undefined;
        const changed = changedBy(limit, change);
        limits.set(limitId, changed);
        return changed;
      }),
  };
}

function changedBy(limit: Limit, change: LimitChange): Limit {
  const { set = {}, add = {} } = change;
  const added = Object.entries(add).map(([field, value]) => [
    field,
    (limit[field as keyof typeof add] ?? 0) + value,
  ]);
  const permits = present({ ...limit.permits, ...change.permits });
  return present({ ...limit, ...set, ...Object.fromEntries(added), permits }) as Limit;
}

function present<Value>(values: Readonly<Record<string, Value>>) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function holds(limit: Limit, condition: LimitCondition): boolean {
  if (condition[1] === 'absent') return limit.stop === undefined;
  if (condition[1] === 'fewer than') return Object.keys(limit.permits).length < condition[2];
  const [field, comparison, value] = condition;
  const current = currentOf(limit, field);
  if (current === undefined) return false;
  if (comparison === '=') return current === value;
  if (comparison === '>=') return current >= value;
  return comparison === '<' ? current < value : current <= value;
}

function currentOf(limit: Limit, field: Exclude<LimitCondition[0], 'permits'>): number | undefined {
  if (field === 'stop.since') return limit.stop?.since;
  if (field === 'stop' || field === 'stop.retryAt') return limit.stop?.retryAt;
  return limit[field];
}
