import { isolateFailure } from '../../errors/isolate-failure.ts';
import type { TicketQueue } from '../../lanes/ports.ts';
import type { Merged } from '../../listings/rules/merge-change.ts';
import { fieldsOfTarget } from '../../listings/rules/target.ts';
import { countByCode, type Rejection } from '../../rejections/model.ts';
import {
  type ReportRejectionsPorts,
  reportParts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import { type ChangeEventTable, changeEventsOf } from '../change-events.ts';
import type { FileReceiptTable } from '../file-receipts.ts';
import {
  type ChangeEvent,
  type ChangeRow,
  type RejectedChange,
  rejectionsOfRows,
} from '../rules/read-changes.ts';
import { type EventWarning, warningsOfRows } from '../rules/row-warnings.ts';
import { fileReceipts, type TakenEvent, takenEvents } from '../rules/taken-events.ts';

export interface IntakeOutcomePorts extends ReportRejectionsPorts {
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
  /** Received values that were older than the values of their listings. */
  readonly stale: number;
  /** Rows that shared a write with another row of the same target. */
  readonly coalesced: number;
  /** Rows whose negative stock changed a listing, as 0. */
  readonly negativeStockTaken: number;
  /** Rejected rows, and events that could not be read, by code. */
  readonly rejections: Readonly<Record<string, number>>;
  readonly events: readonly TakenEvent[];
  /** Warnings about rows that were taken. */
  readonly warnings: readonly EventWarning[];
}

/** Collects the results of one intake: which messages are redelivered, and what is stored and reported at the end for the others. */
export class IntakeOutcome {
  readonly #ports: IntakeOutcomePorts;
  readonly #stopAt: EpochMs;
  readonly #failed = new Set<string>();
  readonly #failures: unknown[] = [];
  /** Stores whose lanes get a ticket. */
  readonly #awake = new Set<string>();
  readonly #rejectedRows = new Map<ChangeEvent, RejectedChange[]>();
  readonly #rejections = new Map<string, Rejection[]>();
  readonly #ofFiles: ChangeEvent[] = [];
  readonly #merged: ChangeRow[] = [];
  readonly #counts = { accepted: 0, stale: 0, coalesced: 0, negativeStockTaken: 0 };

  constructor(ports: IntakeOutcomePorts, stopAt: EpochMs) {
    this.#ports = ports;
    this.#stopAt = stopAt;
  }

  /** Whether no further work may begin. */
  get isOver(): boolean {
    return this.#ports.clock.now() >= this.#stopAt;
  }

  /** Merged rows of messages that are not redelivered. */
  get #taken(): ChangeRow[] {
    return this.#merged.filter(({ event }) => !this.#failed.has(event.message.messageId));
  }

  /** Sends a ticket for the lane of a store at the end. */
  wake(storeClientId: string): void {
    this.#awake.add(storeClientId);
  }

  addRejections(messageId: string, rejections: readonly Rejection[]): void {
    const own = this.#rejections.get(messageId) ?? [];
    this.#rejections.set(messageId, [...own, ...rejections]);
  }

  addOfFile(event: ChangeEvent): void {
    this.#ofFiles.push(event);
  }

  /** Adds rows that were merged into one listing and written. */
  addMerged(rows: readonly ChangeRow[], { changed, stale }: Merged): void {
    this.#counts.accepted += changed.length;
    this.#counts.stale += stale;
    this.#counts.negativeStockTaken += changed.filter(({ negative }) => negative !== undefined).length;
    this.#counts.coalesced += rows.length - 1;
    for (const row of rows) this.#merged.push(row);
  }

  /** Rejects the rows with a fault. Returns the other rows. */
  reject(rows: readonly ChangeRow[], faultOf: (row: ChangeRow) => CommandFault | undefined): ChangeRow[] {
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

  /** Does work for messages. If the work fails, the messages are redelivered. */
  async attempt(messageIds: Iterable<string>, work: () => Promise<void>): Promise<void> {
    await isolateFailure((error) => {
      this.#failures.push(error);
      this.defer(messageIds);
    }, work);
  }

  /** Marks messages for redelivery. */
  defer(messageIds: Iterable<string>): void {
    for (const messageId of messageIds) this.#failed.add(messageId);
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
    await this.attempt(messagesOf(taken), () => this.#ports.changeEvents.putAll(events));
  }

  /** Stores the results of the rows of files, once all their effects are durable. */
  async #keepReceipts(): Promise<void> {
    const taken = this.#ofFiles.filter(({ message }) => !this.#failed.has(message.messageId));
    const receipts = fileReceipts(taken, this.#rejections, this.#merged);
    const messageIds = taken.map(({ message }) => message.messageId);
    await this.attempt(messageIds, () => this.#ports.receipts.putAll(receipts, this.#ports.clock.now()));
  }

  /** Reports the rejections in parts: at least one part, even if the time is over. Returns the rejections that are durable. */
  async #report(): Promise<Rejection[]> {
    for (const [event, rejected] of this.#rejectedRows) {
      this.addRejections(event.message.messageId, rejectionsOfRows(event, rejected));
    }
    const reported: Rejection[] = [];
    for (const { messageIds, rejections } of reportParts(this.#rejections)) {
      await this.attempt(messageIds, async () => {
        if (reported.length > 0 && this.isOver) return this.defer(messageIds);
        await reportRejections(this.#ports, rejections);
        for (const rejection of rejections) reported.push(rejection);
      });
    }
    return reported;
  }
}

/** The IDs of the messages of rows. A generator, as the IDs are only needed after a failure. */
export function* messagesOf(rows: readonly ChangeRow[]): Generator<string, void, undefined> {
  for (const { event } of rows) yield event.message.messageId;
}
