import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { chunk } from '../../collections/packer.ts';
import { type GuardWindow, withPricesBefore } from '../../guards/rules/price-guard.ts';
import { type GuardPricesPorts, guardPrices } from '../../guards/use-cases/guard-prices.ts';
import type { Listing } from '../../listings/model.ts';
import type { ListingTable, PlannedUpdate, PreparedPages } from '../../listings/ports.ts';
import { type Merged, mergeChanges } from '../../listings/rules/merge-change.ts';
import { fieldsOfTarget, nameOfTarget } from '../../listings/rules/target.ts';
import { endListing } from '../../listings/use-cases/end-listing.ts';
import { createdListing, rearmTargets } from '../../listings/use-cases/rearm.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import { judgedByStore } from '../../rejections/use-cases/judged-by-store.ts';
import { unknownStore } from '../../stores/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { Clock } from '../../time/clock.ts';
import { faultInStore } from '../rules/fault-in-store.ts';
import {
  type ChangeMessage,
  type ChangeRow,
  type CreatedTargets,
  type RenamedTarget,
  readChangeMessage,
} from '../rules/read-changes.ts';
import { type ChangesTaken, IntakeOutcome, type IntakeOutcomePorts, messagesOf } from './intake-outcome.ts';

export interface TakeChangesPorts extends IntakeOutcomePorts, GuardPricesPorts {
  readonly stores: Pick<StoreTable, 'get'>;
  readonly listings: ListingTable;
  readonly clock: Clock;
}

/** This many stores are processed at a time: one receive may have changes of many stores. */
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
  merged: Merged;
}

/**
 * Merges the stock and price changes of a batch of messages into the Listings table, and sends a ticket for each lane with new
 * work. Rows of one target are merged first and written once. A row that breaks a rule is rejected alone. A message is done
 * when all its effects are durable. After a failure only the messages of the failed rows are redelivered. A row that is not begun by
 * `stopAt` (epoch ms, default never) is redelivered with its message. A repeated merge changes nothing.
 */
export async function takeChanges(
  ports: TakeChangesPorts,
  messages: readonly ChangeMessage[],
  stopAt = Number.POSITIVE_INFINITY,
): Promise<ChangesTaken> {
  const outcome = new IntakeOutcome(ports, stopAt);
  const intake = new Intake(ports, outcome);
  const all = await intake.read(messages);
  const byStore = Map.groupBy(all, ({ event }) => event.storeClientId);
  const storesAtATime = Math.min(STORE_CONCURRENCY, byStore.size);
  intake.writesAtATime = Math.ceil(WRITE_CONCURRENCY / (READ_CONCURRENCY * Math.max(1, storesAtATime)));
  await forEachConcurrently([...byStore], STORE_CONCURRENCY, ([storeClientId, rows]) =>
    intake.takeStore(storeClientId, rows),
  );
  return outcome.finish(all);
}

class Intake {
  readonly #ports: TakeChangesPorts;
  readonly #outcome: IntakeOutcome;
  /** Writes at a time after one read of a store. */
  writesAtATime = 1;

  constructor(ports: TakeChangesPorts, outcome: IntakeOutcome) {
    this.#ports = ports;
    this.#outcome = outcome;
  }

  async read(messages: readonly ChangeMessage[]): Promise<ChangeRow[]> {
    const rows: ChangeRow[] = [];
    for (const message of messages) {
      const { messageId } = message;
      await this.#outcome.attempt([messageId], async () => {
        if (this.#outcome.isOver) return this.#outcome.defer([messageId]);
        const reading = readChangeMessage(message);
        if (reading.created !== undefined) await this.#takeCreated(reading.created);
        const rejections = await judgedByStore(this.#ports.stores, reading.rejections);
        this.#outcome.addRejections(messageId, rejections);
        if (reading.renamed !== undefined) await this.#takeRenamed(message, reading.renamed);
        if (reading.event?.file !== undefined) this.#outcome.addOfFile(reading.event);
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
    await this.#outcome.attempt(messagesOf(own), async () => {
      const { stores, clock } = this.#ports;
      const store = await stores.get(storeClientId);
      if (store === undefined) return void this.#outcome.reject(own, () => unknownStore(storeClientId));
      if ((store.renamingUntil ?? 0) > clock.now()) return this.#outcome.defer(messagesOf(own));
      const rows = this.#outcome.reject(own, (row) => faultInStore(row, store));
      const changes = rows.map(({ change }) => change);
      const guardWindow = await guardPrices(this.#ports, storeClientId, changes);
      const targets = [...Map.groupBy(rows, ({ change }) => change.target)];
      await forEachConcurrently(chunk(targets, TARGETS_PER_READ), READ_CONCURRENCY, (some) =>
        this.#merge(storeClientId, some, guardWindow),
      );
      const after = await stores.get(storeClientId);
      const isRenaming = (after?.renamingUntil ?? 0) > clock.now();
      if (isRenaming || after?.names.products !== store.names.products) this.#outcome.defer(messagesOf(rows));
    });
  }

  /** Makes the listings of created products. If a listing exists, its values are sent again. */
  async #takeCreated({ storeClientId, products, knownAt, sentAt }: CreatedTargets): Promise<void> {
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
    if (await rearmTargets(this.#ports, storeClientId, targets, { knownAt, sentAt }, listingOf))
      this.#outcome.wake(storeClientId);
  }

  /** Ends the listing of a product's old name. Values that its new name can't take are rejected. */
  async #takeRenamed({ messageId, sentAt }: ChangeMessage, renamed: RenamedTarget): Promise<void> {
    const { storeClientId, from, commandId } = renamed;
    const { rejected, isWaiting } = await endListing(this.#ports, renamed);
    if (isWaiting) this.#outcome.wake(storeClientId);
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
    this.#outcome.addRejections(messageId, rejections);
  }

  /** Merges targets. The messages of targets that are not begun in time are redelivered. */
  async #merge(
    storeClientId: string,
    targets: readonly TargetRows[],
    guardWindow: GuardWindow | undefined,
  ): Promise<void> {
    const all = messagesOf(targets.flatMap(([, rows]) => rows));
    if (this.#outcome.isOver) return this.#outcome.defer(all);
    await this.#outcome.attempt(all, async () => {
      const names = targets.map(([target]) => target);
      const known = await this.#ports.listings.getMany(storeClientId, names, { mayBeStale: true });
      const merges = targets.map((one) => this.#mergeOf(one, known.get(one[0]) ?? 'none', guardWindow));
      const prepared = await this.#ports.listings.prepare(merges);
      await forEachConcurrently(merges, this.writesAtATime, async (merge) => {
        if (this.#outcome.isOver) return this.#outcome.defer(messagesOf(merge.rows));
        await this.#outcome.attempt(messagesOf(merge.rows), () =>
          this.#mergeTarget(storeClientId, merge, prepared),
        );
      });
    });
  }

  /** The update of one listing by its rows. */
  #mergeOf(
    [target, rows]: TargetRows,
    known: Listing | 'none',
    guardWindow: GuardWindow | undefined,
  ): TargetMerge {
    // Use the same time in all calls, so that the prepared page suits the listing.
    const now = this.#ports.clock.now();
    const changes = rows.map(({ change }) => change);
    const merge: TargetMerge = {
      target,
      rows,
      known,
      merged: mergeChanges(known === 'none' ? undefined : known, changes, now),
      change: (current) => {
        // Most often this is the listing that was merged before: merge again only if it differs.
        if (current !== merge.merged.before) merge.merged = mergeChanges(current, changes, now);
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
    this.#outcome.addMerged(rows, merge.merged);
    this.#outcome.reject(rows, (row) => merge.merged.rejected.get(row.change));
    // Send a ticket after a redelivery too: a crash may have lost the first one.
    if (listing?.waitingSince !== undefined) this.#outcome.wake(storeClientId);
  }
}
