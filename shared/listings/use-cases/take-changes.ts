import { chunk } from '../../collections/chunk.ts';
import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { setApart } from '../../errors/set-apart.ts';
import type { GuardWindows } from '../../guards/use-cases/guard-prices.ts';
import type { LaneTable, TicketQueue } from '../../lanes/ports.ts';
import type { Rejection } from '../../rejections/model.ts';
import { countByCode } from '../../rejections/rules/count-by-code.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { Clock } from '../../time/clock.ts';
import type { ListingTable } from '../ports.ts';
import type { ChangeMessage, ChangeRow } from '../rules/read-changes.ts';
import { type AdmitChangesPorts, admitChanges } from './admit-changes.ts';
import { ChangesTally } from './changes-tally.ts';
import { mergeTarget, type TargetRows } from './merge-target.ts';

export interface TakeChangesPorts extends ReportRejectionsPorts, AdmitChangesPorts {
  readonly listings: ListingTable;
  readonly lanes: Pick<LaneTable, 'ensure'>;
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
 * itself. Messages count as done only when every effect of theirs is durable: what fails makes those come again that it
 * is about, and no other store's (design P8). Targets that are not begun by `stopAt` (epoch ms, default never) come again
 * with their messages, and find what was written before.
 */
export async function takeChanges(
  ports: TakeChangesPorts,
  messages: readonly ChangeMessage[],
  stopAt = Number.POSITIVE_INFINITY,
): Promise<ChangesTaken> {
  const tally = new ChangesTally();
  const { rows, windows } = await admitChanges(ports, messages, tally);
  const targets = groupByTarget(rows);
  await forEachConcurrently(readTogether(targets), READ_CONCURRENCY, (some) =>
    mergeTargets(ports, { targets: some, windows }, stopAt, tally),
  );
  await wake(ports, [...tally.awake]);
  const rejections = await reportRejected(ports, tally);
  return {
    failedMessageIds: [...tally.failed],
    failures: tally.failures,
    accepted: tally.accepted,
    stale: tally.stale,
    coalesced: rows.length - targets.length,
    rejections: countByCode(rejections),
  };
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
  tally: ChangesTally,
): Promise<void> {
  const [first] = targets;
  if (first === undefined) return;
  if (ports.clock.now() >= stopAt) return tally.putOff(targets);
  const { storeClientId } = first;
  const windowStart = windows.get(storeClientId);
  const names = targets.map(({ target }) => target);
  const known = await setApart(
    (error) => tally.fail(targets, error),
    () => ports.listings.getMany(storeClientId, names),
  );
  if (known === undefined) return;
  await forEachConcurrently(targets, WRITE_CONCURRENCY, async (one) => {
    if (ports.clock.now() >= stopAt) return tally.putOff([one]);
    const merged = await setApart(
      (error) => tally.fail([one], error),
      () => mergeTarget(ports, one, known.get(one.target) ?? 'none', windowStart),
    );
    if (merged !== undefined) tally.take(one, merged);
  });
}

/** Reports store by store what was rejected; returns what of it is durable. */
async function reportRejected(ports: ReportRejectionsPorts, tally: ChangesTally): Promise<Rejection[]> {
  const reported: Rejection[] = [];
  for (const groups of Map.groupBy(tally.rejected, ({ storeClientId }) => storeClientId).values()) {
    const rejections = groups.flatMap((group) => group.rejections);
    const onFailure = (error: unknown) => tally.fail(groups, error);
    await setApart(onFailure, async () => {
      await reportRejections(ports, rejections);
      reported.push(...rejections);
    });
  }
  return reported;
}

/** A ticket is a hint: where it can't be sent, the waker finds the lane within a minute. */
async function wake(ports: TakeChangesPorts, storeClientIds: readonly string[]): Promise<void> {
  if (storeClientIds.length === 0) return;
  await ports.tickets.send(storeClientIds.map((storeClientId) => ({ storeClientId }))).catch(() => undefined);
}
