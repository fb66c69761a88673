import { chunk } from '../../collections/chunk.ts';
import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { setApart } from '../../errors/set-apart.ts';
import type { GuardWindow } from '../../guards/rules/price-guard.ts';
import { type GuardPricesPorts, guardPrices } from '../../guards/use-cases/guard-prices.ts';
import type { LaneTable, TicketQueue } from '../../lanes/ports.ts';
import type { ListingTable } from '../../listings/ports.ts';
import { nameOfTarget } from '../../listings/rules/target.ts';
import type { Rejection } from '../../rejections/model.ts';
import {
  countByCode,
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { StoreNames } from '../../stores/model.ts';
import { unknownStore } from '../../stores/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import { nameFault, priceNameOf } from '../../stores/rules/names.ts';
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

/** Stores at a time; listings read by one call; such calls of a store at a time, and writes for each of them. */
const STORE_CONCURRENCY = 2;
const TARGETS_PER_READ = 100;
const READ_CONCURRENCY = 2;
const WRITE_CONCURRENCY = 25;

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
  const byStore = Map.groupBy(await taking.read(messages), ({ event }) => event.storeClientId);
  await forEachConcurrently([...byStore], STORE_CONCURRENCY, ([storeClientId, rows]) =>
    taking.takeStore(storeClientId, rows),
  );
  return taking.finish();
}

/** What comes of one batch of messages. */
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

  /**
   * Takes the rows of one store. Those are redelivered that may be written while its names are about to change: who changes
   * them looks for waiting work only after the store's record says so, and rows are written between two looks at it.
   */
  async takeStore(storeClientId: string, own: readonly ChangeRow[]): Promise<void> {
    await this.#attempt(own, async () => {
      const { stores, clock } = this.#ports;
      const store = await stores.get(storeClientId);
      if (store === undefined) return this.#refuse(own, () => unknownStore(storeClientId));
      if ((store.renamingUntil ?? 0) > clock.now()) return this.#defer(own);
      const rows = this.#refuse(own, (row) => nameFaultOf(row, store.names));
      const changes = rows.map(({ change }) => change);
      const guardWindow = await guardPrices(this.#ports, storeClientId, changes);
      const targets = [
        ...Map.groupBy(rows, ({ change }) => change.target).values(),
      ] as unknown as TargetRows[];
      await forEachConcurrently(chunk(targets, TARGETS_PER_READ), READ_CONCURRENCY, (some) =>
        this.#merge(storeClientId, some, guardWindow),
      );
      const after = await stores.get(storeClientId);
      const isRenaming = (after?.renamingUntil ?? 0) > clock.now();
      if (isRenaming || after?.names.products !== store.names.products) this.#defer(rows);
    });
  }

  /** Merges what is begun in time. */
  async #merge(
    storeClientId: string,
    targets: readonly TargetRows[],
    guardWindow: GuardWindow | undefined,
  ): Promise<void> {
    const all = targets.flat();
    if (this.#isOver) return this.#defer(all);
    await this.#attempt(all, async () => {
      const names = targets.map(([{ change }]) => change.target);
      const known = await this.#ports.listings.getMany(storeClientId, names);
      await forEachConcurrently(targets, WRITE_CONCURRENCY, async (rows) => {
        if (this.#isOver) return this.#defer(rows);
        await this.#attempt(rows, () => this.#mergeOne(rows, known, guardWindow));
      });
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
    const refused = new Map(merged.refused);
    this.#refuse(rows, (row) => refused.get(row));
    // Also for a repeat: the ticket of the first delivery may have been lost with a crash.
    if (merged.isWaiting) this.#awake.add(storeClientId);
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

  /** Refuses the rows that have a fault; returns the others. */
  #refuse(
    rows: readonly ChangeRow[],
    faultOf: (row: ChangeRow) => Omit<RowRefusal, 'rowIndex'> | undefined,
  ): ChangeRow[] {
    return rows.filter((row) => {
      const fault = faultOf(row);
      if (fault === undefined) return true;
      const { event, rowIndex, change } = row;
      const refusals = this.#refusals.get(event) ?? [];
      this.#refusals.set(event, refusals);
      refusals.push({ rowIndex, ...fault, target: change.target });
      return false;
    });
  }

  /** Does work on rows whose messages are redelivered when it fails. */
  async #attempt(rows: readonly ChangeRow[], work: () => Promise<unknown>): Promise<void> {
    const onFailure = (error: unknown) => {
      this.#failures.push(error);
      this.#defer(rows);
    };
    await setApart(onFailure, work);
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
