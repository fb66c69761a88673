import { chunk } from '../../collections/chunk.ts';
import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import {
  type GuardPricesPorts,
  type GuardWindows,
  guardPrices,
} from '../../guards/use-cases/guard-prices.ts';
import type { LaneTable, TicketQueue } from '../../lanes/ports.ts';
import type { Rejection } from '../../rejections/model.ts';
import { countByCode } from '../../rejections/rules/count-by-code.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { ListingTable } from '../ports.ts';
import { type ChangeMessage, type ChangeRow, readChangeMessage, rejectionOf } from '../rules/read-changes.ts';
import { type MergedTarget, mergeTarget, type TargetRows } from './merge-target.ts';

export interface TakeChangesPorts extends ReportRejectionsPorts, GuardPricesPorts {
  readonly listings: ListingTable;
  readonly lanes: Pick<LaneTable, 'ensure'>;
  readonly stores: Pick<StoreTable, 'get'>;
  readonly tickets: TicketQueue;
  readonly clock: Clock;
}

export interface ChangesTaken {
  /** Messages whose effect is not durable: they must come again. */
  readonly failedMessageIds: readonly string[];
  readonly failures: readonly unknown[];
  /** Rows that changed a listing. */
  readonly accepted: number;
  /** Values that were older than what stood there. */
  readonly stale: number;
  /** Rows that met another row of the same target in the same batch, and cost no write of their own. */
  readonly coalesced: number;
  /** Rejected rows, and events that could not be read, by code. */
  readonly rejections: Readonly<Record<string, number>>;
}

/** Listings read by one call, calls under way at a time, and listings written at a time for each of them. */
const TARGETS_PER_READ = 100;
const READ_CONCURRENCY = 2;
const WRITE_CONCURRENCY = 25;

/**
 * Merges the stock and price changes of a batch of messages into the Listings table, and leaves a ticket for each lane
 * that has new work. Rows of one target are merged before they are written; a row that breaks a rule is rejected by
 * itself. Messages count as done only when every effect of theirs is durable. Targets that are not begun by `stopAt`
 * (epoch ms, default never) come again with their messages, and find what was written before.
 */
export async function takeChanges(
  ports: TakeChangesPorts,
  messages: readonly ChangeMessage[],
  stopAt = Number.POSITIVE_INFINITY,
): Promise<ChangesTaken> {
  const readings = messages.map((message) => readChangeMessage(message, ports.clock.now()));
  const rejections = readings.flatMap((reading) => reading.rejections);
  const validRows = readings.flatMap((reading) => reading.rows);
  const known = await findKnownStores(ports, validRows);
  const rows = validRows.filter(({ change }) => known.has(change.storeClientId));
  rejections.push(...unknownStoreRejections(validRows, known));

  const windows = await guardPrices(
    ports,
    rows.map(({ change }) => change),
  );
  const targets = groupByTarget(rows);
  const tally = new Tally();
  await forEachConcurrently(readTogether(targets), READ_CONCURRENCY, (some) =>
    mergeTargets(ports, { targets: some, windows }, stopAt, tally),
  );
  await wake(ports, [...tally.awake]);
  rejections.push(...tally.rejections);
  await reportRejections(ports, rejections);
  return {
    failedMessageIds: [...tally.failed],
    failures: tally.failures,
    accepted: tally.accepted,
    stale: tally.stale,
    coalesced: rows.length - targets.length,
    rejections: countByCode(rejections),
  };
}

/** What came of the targets of a batch of messages. */
class Tally {
  readonly failed = new Set<string>();
  readonly failures: unknown[] = [];
  /** Stores whose lanes have work. */
  readonly awake = new Set<string>();
  readonly rejections: Rejection[] = [];
  accepted = 0;
  stale = 0;

  take({ storeClientId }: TargetRows, merged: MergedTarget): void {
    this.accepted += merged.accepted;
    this.stale += merged.stale;
    this.rejections.push(...merged.rejections);
    // Also for a repeat: the ticket of the first delivery may have been lost with a crash.
    if (merged.waiting) this.awake.add(storeClientId);
  }

  /** Their messages are to come again. */
  putOff(targets: readonly TargetRows[]): void {
    for (const { rows } of targets) for (const { message } of rows) this.failed.add(message.messageId);
  }

  fail(targets: readonly TargetRows[], error: unknown): void {
    this.failures.push(error);
    this.putOff(targets);
  }
}

function groupByTarget(rows: readonly ChangeRow[]): TargetRows[] {
  const groups = Map.groupBy(rows, ({ change }) => `${change.storeClientId}\n${change.target}`).values();
  return [...groups].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { storeClientId, target } = first.change;
    return [{ storeClientId, target, rows: own }];
  });
}

/** Parts of one store each, of as many targets as one read takes. */
function readTogether(targets: readonly TargetRows[]): TargetRows[][] {
  const byStore = Map.groupBy(targets, ({ storeClientId }) => storeClientId);
  return [...byStore.values()].flatMap((own) => chunk(own, TARGETS_PER_READ));
}

/** Merges what is begun by `stopAt`. `targets` are of one store. */
async function mergeTargets(
  ports: TakeChangesPorts,
  { targets, windows }: { readonly targets: readonly TargetRows[]; readonly windows: GuardWindows },
  stopAt: number,
  tally: Tally,
): Promise<void> {
  const [first] = targets;
  if (first === undefined) return;
  if (ports.clock.now() >= stopAt) return tally.putOff(targets);
  const windowStart = windows.get(first.storeClientId);
  const known = await ports.listings
    .getMany(
      first.storeClientId,
      targets.map(({ target }) => target),
    )
    .catch((error: unknown) => tally.fail(targets, error));
  if (known === undefined) return;
  await forEachConcurrently(targets, WRITE_CONCURRENCY, async (one) => {
    if (ports.clock.now() >= stopAt) return tally.putOff([one]);
    try {
      tally.take(one, await mergeTarget(ports, one, known.get(one.target) ?? 'none', windowStart));
    } catch (error) {
      tally.fail([one], error);
    }
  });
}

async function findKnownStores(ports: TakeChangesPorts, rows: readonly ChangeRow[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (const storeClientId of new Set(rows.map(({ change }) => change.storeClientId))) {
    if ((await ports.stores.get(storeClientId)) !== undefined) known.add(storeClientId);
  }
  return known;
}

function unknownStoreRejections(rows: readonly ChangeRow[], known: ReadonlySet<string>): Rejection[] {
  return rows
    .filter(({ change }) => !known.has(change.storeClientId))
    .map((row) =>
      rejectionOf(row, {
        code: 'STORE_UNKNOWN',
        message: `store ${row.change.storeClientId} is not connected to this stack`,
        field: 'detail.storeClientId',
      }),
    );
}

/** A ticket is a hint: where it can't be sent, the waker finds the lane within a minute. */
async function wake(ports: TakeChangesPorts, storeClientIds: readonly string[]): Promise<void> {
  if (storeClientIds.length === 0) return;
  await ports.tickets.send(storeClientIds.map((storeClientId) => ({ storeClientId }))).catch(() => undefined);
}
