import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { chunk } from '../../collections/packer.ts';
import { isolateFailure } from '../../errors/isolate-failure.ts';
import { type GuardWindow, withPricesBefore } from '../../guards/rules/price-guard.ts';
import { type GuardPricesPorts, guardPrices } from '../../guards/use-cases/guard-prices.ts';
import type { TicketQueue } from '../../lanes/ports.ts';
import type { Listing } from '../../listings/model.ts';
import type { ListingTable, PlannedUpdate, PreparedPages } from '../../listings/ports.ts';
import { fieldsOfTarget, nameOfTarget } from '../../listings/rules/target.ts';
import { endListing } from '../../listings/use-cases/end-listing.ts';
import { createdListing, rearmTargets } from '../../listings/use-cases/rearm.ts';
import { countByCode, type Rejection } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import {
  type MessageRejections,
  type ReportRejectionsPorts,
  reportParts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { CommandFault } from '../../requests/rules/rejection.ts';
import { unknownStore } from '../../stores/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import { type ChangeEventTable, changeEventsOf } from '../change-events.ts';
import type { FileReceiptTable } from '../file-receipts.ts';
import { faultInStore } from '../rules/fault-in-store.ts';
import { mergeRows } from '../rules/merge-rows.ts';
import {
  type ChangeEvent,
  type ChangeMessage,
  type ChangeRow,
  type CreatedTargets,
  type RejectedChange,
  type RenamedTarget,
  readChangeMessage,
  rejectionsOfRows,
} from '../rules/read-changes.ts';
import { type EventWarning, warningsOfRows } from '../rules/row-warnings.ts';
import { fileReceipts, type TakenEvent, takenEvents } from '../rules/taken-events.ts';

export interface TakeChangesPorts extends ReportRejectionsPorts, GuardPricesPorts {
  readonly stores: Pick<StoreTable, 'get'>;
  readonly listings: ListingTable;
  readonly tickets: TicketQueue;
  readonly changeEvents: Pick<ChangeEventTable, 'putAll'>;
  readonly receipts: Pick<FileReceiptTable, 'putAll'>;
  readonly clock: Clock;
}

export interface ChangesTaken {
  /** Messages to redeliver: their effects are not durable. */
  readonly failedMessageIds: readonly string[];
  readonly failures: readonly unknown[];
  /** Rows that changed a listing. */
  readonly accepted: number;
  /** Values that were older than those of their listings. */
  readonly stale: number;
  /** Rows that shared a write with another row of the same target. */
  readonly coalesced: number;
  /** Rows whose negative stock changed a listing, as 0. */
  readonly negativeStockTaken: number;
  /** Rejected rows, and events that could not be read, by code. */
  readonly rejections: Readonly<Record<string, number>>;
  readonly events: readonly TakenEvent[];
  /** What to look at in rows that were taken. */
  readonly warnings: readonly EventWarning[];
}

/** Stores at a time: one receive may have changes of many stores. */
const STORE_CONCURRENCY = 50;
/** Listings per read, and reads of one store at a time. */
const TARGETS_PER_READ = 100;
const READ_CONCURRENCY = 2;
/** Listings written at a time, for all stores together. */
const WRITE_CONCURRENCY = 50;

type TargetRows = readonly [string, readonly ChangeRow[]];
interface TargetMerge extends PlannedUpdate {
  readonly rows: readonly ChangeRow[];
  /** Result for the listing that `change` was called with last. */
  merged: ReturnType<typeof mergeRows>;
}

/**
 * Merges the stock and price changes of a batch of messages into the Listings table, and sends a ticket for each lane with new
 * work. Rows of one target are merged first and written once. A row that breaks a rule is rejected alone. A message is done
 * when all its effects are durable. After a failure only the messages of its rows are redelivered. A row that is not begun by
 * `stopAt` (epoch ms, default never) is redelivered with its message. A repeated merge changes nothing.
 */
export async function takeChanges(
  ports: TakeChangesPorts,
  messages: readonly ChangeMessage[],
  stopAt = Number.POSITIVE_INFINITY,
): Promise<ChangesTaken> {
  const intake = new Intake(ports, stopAt);
  const all = await intake.read(messages);
  const byStore = Map.groupBy(all, ({ event }) => event.storeClientId);
  const storesAtATime = Math.min(STORE_CONCURRENCY, byStore.size);
  intake.writesAtATime = Math.ceil(WRITE_CONCURRENCY / (READ_CONCURRENCY * Math.max(1, storesAtATime)));
  await forEachConcurrently([...byStore], STORE_CONCURRENCY, ([storeClientId, rows]) =>
    intake.takeStore(storeClientId, rows),
  );
  return intake.finish(all);
}

class Intake {
  readonly #ports: TakeChangesPorts;
  readonly #stopAt: EpochMs;
  /** Writes at a time after one read of a store. */
  writesAtATime = 1;
  readonly #failed = new Set<string>();
  readonly #failures: unknown[] = [];
  /** Stores whose lanes get a ticket. */
  readonly #awake = new Set<string>();
  readonly #rejectedRows = new Map<ChangeEvent, RejectedChange[]>();
  readonly #rejections: MessageRejections[] = [];
  /** Events with rows of files. */
  readonly #ofFiles: ChangeEvent[] = [];
  readonly #merged: ChangeRow[] = [];
  readonly #counts = { accepted: 0, stale: 0, coalesced: 0, negativeStockTaken: 0 };

  constructor(ports: TakeChangesPorts, stopAt: EpochMs) {
    this.#ports = ports;
    this.#stopAt = stopAt;
  }

  get #isOver(): boolean {
    return this.#ports.clock.now() >= this.#stopAt;
  }

  /** Merged rows of messages that are not redelivered. */
  get #taken(): ChangeRow[] {
    return this.#merged.filter(({ event }) => !this.#failed.has(event.message.messageId));
  }

  async read(messages: readonly ChangeMessage[]): Promise<ChangeRow[]> {
    const rows: ChangeRow[] = [];
    for (const message of messages) {
      const { messageId } = message;
      await this.#attempt([messageId], async () => {
        if (this.#isOver) return this.#defer([messageId]);
        const reading = readChangeMessage(message);
        if (reading.created !== undefined) await this.#takeCreated(reading.created);
        this.#rejections.push({ messageId, rejections: reading.rejections });
        if (reading.renamed !== undefined) await this.#takeRenamed(message, reading.renamed);
        if (reading.event?.file !== undefined) this.#ofFiles.push(reading.event);
        for (const row of reading.rows) rows.push(row);
      });
    }
    return rows;
  }

  /**
   * Takes the rows of one store. Rows that may be written during a change of the store's names are redelivered: the store is
   * read before and after the writes, and a change of names marks the store before it looks for waiting work.
   */
  async takeStore(storeClientId: string, own: readonly ChangeRow[]): Promise<void> {
    await this.#attempt(messagesOf(own), async () => {
      const { stores, clock } = this.#ports;
      const store = await stores.get(storeClientId);
      if (store === undefined) return void this.#reject(own, () => unknownStore(storeClientId));
      if ((store.renamingUntil ?? 0) > clock.now()) return this.#defer(messagesOf(own));
      const rows = this.#reject(own, (row) => faultInStore(row, store));
      const changes = rows.map(({ change }) => change);
      const guardWindow = await guardPrices(this.#ports, storeClientId, changes);
      const targets = [...Map.groupBy(rows, ({ change }) => change.target)];
      await forEachConcurrently(chunk(targets, TARGETS_PER_READ), READ_CONCURRENCY, (some) =>
        this.#merge(storeClientId, some, guardWindow),
      );
      const after = await stores.get(storeClientId);
      const isRenaming = (after?.renamingUntil ?? 0) > clock.now();
      if (isRenaming || after?.names.products !== store.names.products) this.#defer(messagesOf(rows));
    });
  }

  /** Has created products listed, and the values of their listings sent again. */
  async #takeCreated({ storeClientId, products, knownAt }: CreatedTargets): Promise<void> {
    const made = new Map(
      products.flatMap(({ targets, externalId, isParent }) =>
        isParent
          ? []
          : targets.map((target) => {
              const sameAs = targets.filter((other) => other !== target);
              const isNamed = externalId !== undefined && nameOfTarget(target) === 'externalId';
              return [target, { sameAs, ...(isNamed && { externalId }) }] as const;
            }),
      ),
    );
    const targets = products.flatMap((product) => product.targets);
    const listingOf = (target: string) => {
      const names = made.get(target);
      return names && createdListing({ storeClientId, target, ...names, knownAt });
    };
    if (await rearmTargets(this.#ports, storeClientId, targets, knownAt, listingOf))
      this.#awake.add(storeClientId);
  }

  /** Ends the listing of a product's old name. Values that its new name can't take are rejected. */
  async #takeRenamed({ messageId, sentAt }: ChangeMessage, renamed: RenamedTarget): Promise<void> {
    const { storeClientId, from, commandId } = renamed;
    const { rejected, isWaiting } = await endListing(this.#ports, renamed);
    if (isWaiting) this.#awake.add(storeClientId);
    const rejectedAt = new Date(sentAt).toISOString();
    const rejections = rejected.map((fault, index) =>
      boundedRejection({
        storeClientId,
        rejectionId: `${rejectedAt}#${commandId}#product.renamed#${index}`,
        rejectedAt,
        ...fault,
        target: from,
        ...fieldsOfTarget(from),
        commandId,
        detailType: 'product.update.requested',
      }),
    );
    this.#rejections.push({ messageId, rejections });
  }

  /** Merges targets. Those that are not begun in time are redelivered. */
  async #merge(
    storeClientId: string,
    targets: readonly TargetRows[],
    guardWindow: GuardWindow | undefined,
  ): Promise<void> {
    const all = messagesOf(targets.flatMap(([, rows]) => rows));
    if (this.#isOver) return this.#defer(all);
    await this.#attempt(all, async () => {
      const names = targets.map(([target]) => target);
      const known = await this.#ports.listings.getMany(storeClientId, names, { mayBeStale: true });
      const merges = targets.map((one) => this.#mergeOf(one, known.get(one[0]) ?? 'none', guardWindow));
      const prepared = await this.#ports.listings.prepare(storeClientId, merges);
      await forEachConcurrently(merges, this.writesAtATime, async (merge) => {
        if (this.#isOver) return this.#defer(messagesOf(merge.rows));
        await this.#attempt(messagesOf(merge.rows), () => this.#mergeTarget(storeClientId, merge, prepared));
      });
    });
  }

  /** The update of one listing by its rows. */
  #mergeOf(
    [target, rows]: TargetRows,
    known: Listing | 'none',
    guardWindow: GuardWindow | undefined,
  ): TargetMerge {
    // The same time in all calls, so that the prepared page suits the listing.
    const now = this.#ports.clock.now();
    const merge: TargetMerge = {
      target,
      rows,
      known,
      merged: mergeRows(known === 'none' ? undefined : known, rows, now),
      change: (current) => {
        // What is written is most often the listing that pages were prepared for.
        if (current !== merge.merged.before) merge.merged = mergeRows(current, rows, now);
        const { listing } = merge.merged;
        if (listing === undefined || guardWindow === undefined) return listing;
        return withPricesBefore(current, listing, guardWindow);
      },
    };
    return merge;
  }

  /** Merges the rows of one target and writes its listing once. */
  async #mergeTarget(storeClientId: string, merge: TargetMerge, prepared: PreparedPages): Promise<void> {
    const { target, rows, known, change } = merge;
    const listing = await this.#ports.listings.update(storeClientId, target, change, known, prepared);
    this.#counts.accepted += merge.merged.accepted;
    this.#counts.stale += merge.merged.stale;
    this.#counts.negativeStockTaken += merge.merged.negative;
    this.#counts.coalesced += rows.length - 1;
    for (const row of rows) this.#merged.push(row);
    this.#reject(rows, (row) => merge.merged.rejected.get(row));
    // Also after a redelivery: a crash may have lost the first ticket.
    if (listing?.waitingSince !== undefined) this.#awake.add(storeClientId);
  }

  /** Sends tickets, stores events and reports rejections. `rows`: all valid rows. */
  async finish(rows: readonly ChangeRow[]): Promise<ChangesTaken> {
    // A ticket is a hint: without it the waker finds the lane within a minute.
    const tickets = [...this.#awake].map((storeClientId) => ({ storeClientId }));
    if (tickets.length > 0) await this.#ports.tickets.send(tickets).catch(() => undefined);
    await this.#keepEvents();
    const rejections = await this.#report();
    await this.#keepReceipts();
    return {
      ...this.#counts,
      failedMessageIds: [...this.#failed],
      failures: this.#failures,
      rejections: countByCode(rejections),
      events: takenEvents(rows, this.#rejections, this.#failed),
      warnings: warningsOfRows(this.#taken),
    };
  }

  /** Stores the events, so that they can be traced. */
  async #keepEvents(): Promise<void> {
    const taken = this.#taken;
    const events = changeEventsOf(taken, this.#ports.clock.now());
    await this.#attempt(messagesOf(taken), () => this.#ports.changeEvents.putAll(events));
  }

  /** Stores the results of the rows of files, once all their effects are durable. */
  async #keepReceipts(): Promise<void> {
    const taken = this.#ofFiles.filter(({ message }) => !this.#failed.has(message.messageId));
    const receipts = fileReceipts(taken, this.#rejections, this.#merged);
    const messageIds = taken.map(({ message }) => message.messageId);
    await this.#attempt(messageIds, () => this.#ports.receipts.putAll(receipts, this.#ports.clock.now()));
  }

  /** Reports the rejections, at least one part. Returns those that are durable. */
  async #report(): Promise<Rejection[]> {
    for (const [event, rejected] of this.#rejectedRows) {
      const { messageId } = event.message;
      this.#rejections.push({ messageId, rejections: rejectionsOfRows(event, rejected) });
    }
    const reported: Rejection[] = [];
    for (const { messageIds, rejections } of reportParts(this.#rejections)) {
      await this.#attempt(messageIds, async () => {
        if (reported.length > 0 && this.#isOver) return this.#defer(messageIds);
        await reportRejections(this.#ports, rejections);
        for (const rejection of rejections) reported.push(rejection);
      });
    }
    return reported;
  }

  /** Rejects the rows with a fault. Returns the others. */
  #reject(rows: readonly ChangeRow[], faultOf: (row: ChangeRow) => CommandFault | undefined): ChangeRow[] {
    return rows.filter((row) => {
      const fault = faultOf(row);
      if (fault === undefined) return true;
      const { event, rowIndex, change } = row;
      const rejected = this.#rejectedRows.get(event) ?? [];
      this.#rejectedRows.set(event, rejected);
      const names = fieldsOfTarget(change.target);
      rejected.push({ rowIndex, code: fault.code, names, fault: () => fault });
      return false;
    });
  }

  /** Does work for messages. If it fails, they are redelivered. */
  async #attempt(messageIds: Iterable<string>, work: () => Promise<void>): Promise<void> {
    await isolateFailure((error) => {
      this.#failures.push(error);
      this.#defer(messageIds);
    }, work);
  }

  #defer(messageIds: Iterable<string>): void {
    for (const messageId of messageIds) this.#failed.add(messageId);
  }
}

/** The messages of rows. Nearly always none fails, and no list of them is made. */
function* messagesOf(rows: readonly ChangeRow[]): Generator<string, void, undefined> {
  for (const { event } of rows) yield event.message.messageId;
}
