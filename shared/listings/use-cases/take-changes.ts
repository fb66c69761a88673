import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { type GuardPricesPorts, guardPrices } from '../../guards/use-cases/guard-prices.ts';
import type { LaneTable, TicketQueue } from '../../lanes/ports.ts';
import type { Rejection } from '../../rejections/model.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { Listing } from '../model.ts';
import type { ListingTable } from '../ports.ts';
import { mergeChange } from '../rules/merge-change.ts';
import { type ChangeMessage, type ChangeRow, readChangeMessage, rejectionOf } from '../rules/read-changes.ts';
import { updateListing } from './update-listing.ts';

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
  readonly rejected: number;
}

/** Listings written at a time. */
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

  await guardPrices(
    ports,
    rows.map(({ change }) => change),
  );
  const groups = [...Map.groupBy(rows, ({ change }) => `${change.storeClientId}\n${change.target}`).values()];
  const tally = {
    accepted: 0,
    stale: 0,
    failed: new Set<string>(),
    failures: [] as unknown[],
    awake: new Set<string>(),
  };
  await forEachConcurrently(groups, WRITE_CONCURRENCY, async (group) => {
    if (ports.clock.now() >= stopAt) {
      for (const { message } of group) tally.failed.add(message.messageId);
      return;
    }
    try {
      const merged = await mergeGroup(ports, group);
      tally.accepted += merged.accepted;
      tally.stale += merged.stale;
      rejections.push(...merged.rejections);
      const [first] = group;
      // Also for a repeat: the ticket of the first delivery may have been lost with a crash.
      if (merged.waiting && first !== undefined) tally.awake.add(first.change.storeClientId);
    } catch (error) {
      tally.failures.push(error);
      for (const { message } of group) tally.failed.add(message.messageId);
    }
  });
  await wake(ports, [...tally.awake]);
  await reportRejections(ports, rejections);
  return {
    failedMessageIds: [...tally.failed],
    failures: tally.failures,
    accepted: tally.accepted,
    stale: tally.stale,
    coalesced: rows.length - groups.length,
    rejected: rejections.length,
  };
}

interface MergedGroup {
  /** Whether the listing waits for its lane now. */
  readonly waiting: boolean;
  readonly accepted: number;
  readonly stale: number;
  readonly rejections: readonly Rejection[];
}

/** Merges the rows of one target and writes the listing once. */
async function mergeGroup(ports: TakeChangesPorts, group: readonly ChangeRow[]): Promise<MergedGroup> {
  const [first] = group;
  let merged: MergedGroup = { waiting: false, accepted: 0, stale: 0, rejections: [] };
  if (first === undefined) return merged;
  // The lane stands before its first listing, so that the waker finds whatever a crash leaves behind here.
  await ports.lanes.ensure(first.change.storeClientId);
  const { storeClientId, target } = first.change;
  const listing = await updateListing(ports.listings, storeClientId, target, (current) => {
    const outcome = mergeRows(current, group, ports.clock.now());
    merged = { ...outcome.merged, waiting: false };
    return outcome.listing;
  });
  return { ...merged, waiting: listing?.waitingSince !== undefined };
}

function mergeRows(
  current: Listing | undefined,
  group: readonly ChangeRow[],
  now: number,
): { listing: Listing | undefined; merged: Omit<MergedGroup, 'waiting'> } {
  let listing = current;
  let accepted = 0;
  let stale = 0;
  const rejections: Rejection[] = [];
  for (const row of group) {
    const merge = mergeChange(listing, row.change, now);
    if (merge.result === 'refused') rejections.push(rejectionOf(row, merge));
    if (merge.result === 'changed' || merge.result === 'stale') stale += merge.stale;
    if (merge.result !== 'changed') continue;
    listing = merge.listing;
    accepted += 1;
  }
  return { listing: accepted > 0 ? listing : undefined, merged: { accepted, stale, rejections } };
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
