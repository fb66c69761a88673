import { z } from 'zod';
import { registerEntries, registerNameSchema, versionKindSchema } from '../listings/model.ts';
import type { ChangeRow } from './rules/read-changes.ts';

/** Targets of one event, and names of registers, that are kept at most. */
const MOST_KEPT = 100;

/** What is kept of a stock or price event whose rows were merged: enough to trace it. */
export const changeEventSchema = z.object({
  eventId: z.string().min(1),
  detailType: z.enum(['stock.changed', 'price.changed']),
  storeClientId: z.string().min(1),
  /** ISO 8601: when its rows were merged. */
  takenAt: z.string(),
  /** Rows that it has, bad ones included. */
  rows: z.number().int().nonnegative(),
  /** Of all its values. */
  versionKind: versionKindSchema,
  version: z.number().int(),
  /** The first 100 targets of its good rows, and the first 100 registers that these change. */
  targets: z.array(z.string()),
  registers: z.array(registerNameSchema),
});
export type ChangeEventRecord = z.infer<typeof changeEventSchema>;

/** The stock and price events that came in. */
export interface ChangeEventTable {
  /** Durable when it resolves; replaces what is kept of the same events. */
  putAll(events: readonly ChangeEventRecord[]): Promise<void>;
  /** The events with this ID: a command may change stock and prices by one of each, both under its own ID. */
  get(eventId: string): Promise<ChangeEventRecord[]>;
}

/** What is kept of the events whose rows were merged. `takenAt` is epoch ms. */
export function changeEventsOf(rows: readonly ChangeRow[], takenAt: number): ChangeEventRecord[] {
  return [...Map.groupBy(rows, ({ event }) => event)].flatMap(([event, [first, ...others]]) => {
    if (first === undefined) return [];
    const { eventId, detailType, storeClientId, size } = event;
    const { versionKind, version } = first.change;
    const changes = [first, ...others].map(({ change }) => change);
    return {
      eventId,
      detailType,
      storeClientId,
      takenAt: new Date(takenAt).toISOString(),
      rows: size,
      versionKind,
      version,
      targets: firstOf(changes.map(({ target }) => target)),
      registers: firstOf(changes.flatMap(({ values }) => registerEntries(values).map(([name]) => name))),
    };
  });
}

function firstOf<Name>(names: readonly Name[]): Name[] {
  return [...new Set(names)].slice(0, MOST_KEPT);
}
