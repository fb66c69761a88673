import * as z from 'zod';
import { countSchema } from '../collections/counts.ts';
import {
  compareRegisters,
  type ListingChange,
  type Live,
  liveSchema,
  type RegisterName,
  registerEntries,
  registerNameSchema,
  versionKindSchema,
} from '../listings/model.ts';
import { type EpochMs, isoTimeSchema } from '../time/times.ts';
import type { ChangeRow } from './rules/read-changes.ts';

/** The record of an event keeps at most this many targets, at most this many register names, and about this many values. */
export const MOST_KEPT = 100;

/** The record by which a stock or price event can be traced after its rows were merged. */
export const changeEventSchema = z.object({
  eventId: z.string().min(1),
  detailType: z.enum(['stock.changed', 'price.changed']),
  storeClientId: z.string().min(1),
  /** When the event's rows were merged. */
  takenAt: isoTimeSchema,
  /** Number of the event's rows, including bad rows. */
  rows: countSchema,
  /** All values of the event have the same version. */
  versionKind: versionKindSchema,
  version: z.number().int(),
  /** The first 100 targets and the first 100 registers of the event's good rows. */
  targets: z.array(z.string()),
  registers: z.array(registerNameSchema),
  /** The values for each of the first targets, about 100 values in all. Absent in a record of an earlier version. */
  values: z.array(liveSchema.shape.values).optional(),
});
export type ChangeEventRecord = z.infer<typeof changeEventSchema>;

/** Whether an event has, or may have, more products than are kept. */
export function isCutShort({ rows, targets }: Pick<ChangeEventRecord, 'rows' | 'targets'>): boolean {
  return targets.length >= MOST_KEPT && rows > MOST_KEPT;
}

/** The ChangeEvents table: received stock and price events. */
export interface ChangeEventTable {
  /** Durable when it resolves. Replaces earlier records of the same events. */
  putAll(events: readonly ChangeEventRecord[]): Promise<void>;
  /** The events with this ID. A command has up to two: one for its stock and one for its prices. */
  get(eventId: string): Promise<ChangeEventRecord[]>;
}

/** The records of the events whose rows were merged just now. */
export function changeEventsOf(rows: readonly ChangeRow[], now: EpochMs): ChangeEventRecord[] {
  const takenAt = new Date(now).toISOString();
  return [...Map.groupBy(rows, ({ event }) => event)].flatMap(([event, own]) => {
    const changes = own.map(({ change }) => change);
    const [first] = changes;
    if (first === undefined) return [];
    const { eventId, detailType, storeClientId, size } = event;
    const { versionKind, version } = first;
    return {
      eventId,
      detailType,
      storeClientId,
      takenAt,
      rows: size,
      versionKind,
      version,
      targets: firstOf(changes.map(({ target }) => target)),
      registers: firstOf(changes.flatMap(({ values }) => Object.keys(values) as RegisterName[])),
      values: firstValues(changes),
    };
  });
}

/** The values for each of the first targets. If an event has two values for one register, the winning value is kept. */
function firstValues(changes: readonly ListingChange[]): Live['values'][] {
  const kept: Live['values'][] = [];
  let count = 0;
  for (const [, own] of Map.groupBy(changes, ({ target }) => target)) {
    if (count >= MOST_KEPT) break;
    const taken: Live['values'] = {};
    for (const { values, version } of own) {
      for (const [name, value] of registerEntries(values)) {
        const before = taken[name];
        const isTaken =
          before === undefined || compareRegisters(name, { value, version }, { value: before, version }) > 0;
        if (isTaken) taken[name] = value;
      }
    }
    count += Object.keys(taken).length;
    kept.push(taken);
  }
  return kept;
}

function firstOf<Name>(names: readonly Name[]): Name[] {
  return [...new Set(names)].slice(0, MOST_KEPT);
}
