import { chunk } from '../../collections/chunk.ts';
import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { setApart } from '../../errors/set-apart.ts';
import type { GuardWindow } from '../../guards/rules/price-guard.ts';
import { type GuardPricesPorts, guardPrices } from '../../guards/use-cases/guard-prices.ts';
import type { LaneTable, TicketQueue } from '../../lanes/ports.ts';
import type { ListingTable } from '../../listings/ports.ts';
import { nameOfTarget } from '../../listings/rules/target.ts';
import type { Rejection } from '../../rejections/model.ts';
import { countByCode } from '../../rejections/rules/count-by-code.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { StoreNames } from '../../stores/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import { nameFault, priceNameOf } from '../../stores/rules/names.ts';
import { unknownStore } from '../../stores/rules/unknown-store.ts';
import type { Clock } from '../../time/clock.ts';
import type { ChangeEvent, ChangeMessage, ChangeRow, RowRefusal } from '../model.ts';
import { readChangeMessage } from '../rules/read-changes.ts';
import { rejectionsOfRows } from '../rules/reject-rows.ts';
import { mergeTarget } from './merge-target.ts';

export interface TakeChangesPorts extends ReportRejectionsPorts, GuardPricesPorts {
  readonly stores: Pick<StoreTable, 'get'>;
  readonly listings: ListingTable;
  readonly lanes: Pick<LaneTable, 'ensure'>;
  readonly tickets: TicketQueue;
  readonly clock: Clock;
}

export interface ChangesTaken {
  /** Messages whose effect is not durable: they are to be redelivered. */
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

/** Stores looked up at a time; listings read by one call; calls under way at a time, and writes for each of them. */
const STORE_CONCURRENCY = 10;
const TARGETS_PER_READ = 100;
const READ_CONCURRENCY = 2;
const WRITE_CONCURRENCY = 25;

/** The rows of one store, and what its record and its price guard said of it before they were merged. */
interface StoreRows {
  readonly rows: readonly ChangeRow[];
  readonly names: StoreNames;
  readonly guardWindow: GuardWindow | undefined;
}

type TargetRows = readonly [ChangeRow, ...ChangeRow[]];

/**
 * Merges the stock and price changes of a batch of messages into the Listings table, and leaves a ticket for each lane
 * that has new work. Rows of one target are merged before they are written; a row that breaks a rule is rejected by
 * itself. Messages count as done only when every effect of theirs is durable: what fails has those redelivered that it
 * is about, and no other store's (design P8). What is not begun by `stopAt` (epoch ms, default never) is redelivered with
 * its message, and finds what was written before.
 */
export async function takeChanges(
  ports: TakeChangesPorts,
  messages: readonly ChangeMessage[],
  stopAt = Number.POSITIVE_INFINITY,
): Promise<ChangesTaken> {
  const taking = new Taking(ports, stopAt);
  const rows = await taking.read(messages);
  const stores: StoreRows[] = [];
  const byStore = [...Map.groupBy(rows, ({ event }) => event.storeClientId).values()];
  await forEachConcurrently(byStore, STORE_CONCURRENCY, async (own) => {
    const admitted = await taking.attempt(own, () => taking.admit(own));
    if (admitted !== undefined) stores.push(admitted);
  });
  const reads = stores.flatMap((store) =>
    chunk(groupByTarget(store.rows), TARGETS_PER_READ).map((targets) => ({ targets, store })),
  );
  await forEachConcurrently(reads, READ_CONCURRENCY, ({ targets, store }) =>
    taking.merge(targets, store.guardWindow),
  );
  await forEachConcurrently(stores, STORE_CONCURRENCY, (store) => taking.checkNames(store));
  return taking.finish();
}

function groupByTarget(rows: readonly ChangeRow[]): TargetRows[] {
  return [...Map.groupBy(rows, ({ change }) => change.target).values()] as unknown as TargetRows[];
}

/** One batch of messages on its way into the table. */
class Taking {
  readonly #ports: TakeChangesPorts;
  readonly #stopAt: number;
  readonly #failed = new Set<string>();
  readonly #failures: unknown[] = [];
  /** Stores whose lanes have work. */
  readonly #awake = new Set<string>();
  readonly #refusals = new Map<ChangeEvent, RowRefusal[]>();
  readonly #rejections: { readonly messageId: string; readonly rejections: readonly Rejection[] }[] = [];
  readonly #counts = { accepted: 0, stale: 0, coalesced: 0 };

  constructor(ports: TakeChangesPorts, stopAt: number) {
    this.#ports = ports;
    this.#stopAt = stopAt;
  }

  get #isOver(): boolean {
    return this.#ports.clock.now() >= this.#stopAt;
  }

  async read(messages: readonly ChangeMessage[]): Promise<ChangeRow[]> {
    const rows: ChangeRow[] = [];
    for (const message of messages) {
      const { messageId } = message;
      const reading = this.#isOver
        ? undefined
        : await setApart(
            (error) => this.#failures.push(error),
            async () => readChangeMessage(message),
          );
      if (reading === undefined) {
        this.#failed.add(messageId);
        continue;
      }
      this.#rejections.push({ messageId, rejections: reading.rejections });
      for (const row of reading.rows) rows.push(row);
    }
    return rows;
  }

  /** Does work on rows whose messages are redelivered when it fails. */
  attempt<Result>(rows: readonly ChangeRow[], work: () => Promise<Result>): Promise<Result | undefined> {
    return setApart((error) => {
      this.#failures.push(error);
      this.#defer(rows);
    }, work);
  }

  /** Lets the rows of one store in that its record allows, and has its price guard look at them. */
  async admit(own: readonly ChangeRow[]): Promise<StoreRows | undefined> {
    const storeClientId = own[0]?.event.storeClientId ?? '';
    const store = await this.#ports.stores.get(storeClientId);
    if (store === undefined) {
      for (const row of own) this.#refuse(row, unknownStore(storeClientId));
      return undefined;
    }
    const { names, renamingUntil = 0 } = store;
    if (renamingUntil > this.#ports.clock.now()) {
      this.#defer(own);
      return undefined;
    }
    const rows: ChangeRow[] = [];
    for (const row of own) {
      const fault = nameFaultOf(row, names);
      if (fault === undefined) rows.push(row);
      else this.#refuse(row, fault);
    }
    const changes = rows.map(({ change }) => change);
    return { rows, names, guardWindow: await guardPrices(this.#ports, storeClientId, changes) };
  }

  /** Merges what is begun in time. `targets` are of one store. */
  async merge(targets: readonly TargetRows[], guardWindow: GuardWindow | undefined): Promise<void> {
    const { listings } = this.#ports;
    const [first] = targets;
    if (first === undefined) return;
    const all = targets.flat();
    if (this.#isOver) return this.#defer(all);
    const known = await this.attempt(all, () =>
      listings.getMany(
        first[0].change.storeClientId,
        targets.map(([{ change }]) => change.target),
      ),
    );
    if (known === undefined) return;
    await forEachConcurrently(targets, WRITE_CONCURRENCY, async (rows) => {
      if (this.#isOver) return this.#defer(rows);
      await this.attempt(rows, () => this.#mergeOne(rows, known, guardWindow));
    });
  }

  async #mergeOne(
    rows: TargetRows,
    known: Awaited<ReturnType<ListingTable['getMany']>>,
    guardWindow: GuardWindow | undefined,
  ): Promise<void> {
    const { storeClientId, target } = rows[0].change;
    const merged = await mergeTarget(this.#ports, rows, known.get(target) ?? 'none', guardWindow);
    this.#counts.accepted += merged.accepted;
    this.#counts.stale += merged.stale;
    this.#counts.coalesced += rows.length - 1;
    for (const [row, refusal] of merged.refused) this.#refuse(row, refusal);
    // Also for a repeat: the ticket of the first delivery may have been lost with a crash.
    if (merged.isWaiting) this.#awake.add(storeClientId);
  }

  /**
   * Has rows redelivered that may have been written while the store's names were about to change: who changes them looks
   * for waiting work only after it has said so in the store's record.
   */
  async checkNames({ rows, names }: StoreRows): Promise<void> {
    const storeClientId = rows[0]?.event.storeClientId;
    if (storeClientId === undefined) return;
    await this.attempt(rows, async () => {
      const store = await this.#ports.stores.get(storeClientId);
      const isRenaming = (store?.renamingUntil ?? 0) > this.#ports.clock.now();
      if (isRenaming || store?.names.products !== names.products) this.#defer(rows);
    });
  }

  async finish(): Promise<ChangesTaken> {
    // A ticket is a hint: where it can't be sent, the waker finds the lane within a minute.
    const tickets = [...this.#awake].map((storeClientId) => ({ storeClientId }));
    if (tickets.length > 0) await this.#ports.tickets.send(tickets).catch(() => undefined);
    const rejections = await this.#report();
    return {
      ...this.#counts,
      failedMessageIds: [...this.#failed],
      failures: this.#failures,
      rejections: countByCode(rejections),
    };
  }

  /** Reports store by store what was rejected; returns what of it is durable. */
  async #report(): Promise<Rejection[]> {
    for (const [event, refusals] of this.#refusals) {
      const rejections = rejectionsOfRows(event, refusals);
      this.#rejections.push({ messageId: event.message.messageId, rejections });
    }
    const reported: Rejection[] = [];
    const byStore = Map.groupBy(this.#rejections, ({ rejections }) => rejections[0]?.storeClientId);
    for (const own of byStore.values()) {
      const rejections = own.flatMap((one) => one.rejections);
      const onFailure = (error: unknown) => {
        this.#failures.push(error);
        for (const { messageId } of own) this.#failed.add(messageId);
      };
      await setApart(onFailure, async () => {
        await reportRejections(this.#ports, rejections);
        for (const rejection of rejections) reported.push(rejection);
      });
    }
    return reported;
  }

  #refuse({ event, rowIndex, change }: ChangeRow, refusal: Omit<RowRefusal, 'rowIndex'>): void {
    const { code, message, field } = refusal;
    const refusals = this.#refusals.get(event) ?? [];
    refusals.push({ rowIndex, code, message, target: change.target, ...(field !== undefined && { field }) });
    this.#refusals.set(event, refusals);
  }

  #defer(rows: readonly ChangeRow[]): void {
    for (const { event } of rows) this.#failed.add(event.message.messageId);
  }
}

/** Why a row can not go by the name that it uses in its store. */
function nameFaultOf({ event, rowIndex, change }: ChangeRow, names: StoreNames) {
  const expected = event.detailType === 'price.changed' ? priceNameOf(names) : names.products;
  const fault = nameFault('products', expected, nameOfTarget(change.target));
  return fault && { ...fault, field: `detail.items.${rowIndex}.${fault.field}` };
}
