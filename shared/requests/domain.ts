import type { IncomingDetailType, IncomingEvent } from '../events/incoming.ts';
import type { CallOptions } from '../marketplace/options.ts';
import type { Rejection } from '../rejections/model.ts';
import type { Store } from '../stores/model.ts';
import type { Warning } from '../warnings/model.ts';
import type { Command, RequestFault, RequestKind, RequestRecord, RequestRow } from './model.ts';
import type { CommandFault } from './rules/rejection.ts';

/** A row of a command, planned into a request. */
export interface PlannedRow<C extends Command> {
  readonly command: C;
  /** Position in its command, from 0. */
  readonly index: number;
  /** The row as sent, JSON. */
  readonly item: unknown;
  /** Names by which an answer, a summary or a read-back may identify the row. */
  readonly names: Omit<RequestRow, 'command' | 'index' | 'fields'>;
}

export interface PlannedRequest<C extends Command> {
  readonly kind: RequestKind;
  /** At least one. */
  readonly rows: readonly PlannedRow<C>[];
}

/** The rows of commands: rows to send, and rows that are rejected before anything is sent. */
export interface PlannedCommands<C extends Command> {
  readonly requests: readonly PlannedRequest<C>[];
  readonly rejections: readonly Rejection[];
}

export interface RequestToSend {
  readonly record: RequestRecord;
  /** The planned rows, in the order of `record.rows`. */
  readonly items: readonly unknown[];
  readonly store: Store;
  /** Unique per invocation and request: the holder of its locks. */
  readonly senderId: string;
  /** The code of each earlier failed send by this invocation. */
  readonly failures: readonly string[];
}

/**
 * Records an attempt: to be called right before each attempt.
 *
 * @param note JSON, stored with the record for `apply`.
 * @throws {ConnectorError} REQUEST_BUSY, retryable: the request must not be sent now.
 */
export type RecordAttempt = (
  attempt: Parameters<NonNullable<CallOptions['onAttempt']>>[0],
  note?: unknown,
) => Promise<void>;

/** The functions that a kind of commands supplies to the ledger. */
export interface Domain<C extends Command> {
  readonly detailTypes: readonly IncomingDetailType[];
  read(event: IncomingEvent<IncomingDetailType>): C;
  /** Rejects a whole command. Must be idempotent. Default: reports it as `rows.rejected`. */
  reject?(command: C, fault: CommandFault): Promise<Rejection>;
  /** Checks a command before it is planned; a fault rejects it whole. */
  faultOf?(command: C): CommandFault | undefined;
  /** The orders and products that a command is about: keys of orders, and targets of listings. */
  subjectsOf?(command: C): readonly string[];
  /**
   * Subjects that have no record of their own, and so no trace of what a command did. The last command stays found by them
   * after it is performed. Default: none.
   */
  lastingSubjectsOf?(command: C): readonly string[];
  /** Stores that a command waits in the records of its orders, so that these are listed. */
  noteWaiting?(command: C): Promise<void>;
  /** Problems that a partner should look at; the command is performed nevertheless. Default: none. */
  warningsOf?(command: C): readonly Warning[];
  /** Whether rows are small JSON objects. If so, the request's record has them; otherwise the archive does. Default: false. */
  readonly rowsInRecord?: boolean;
  /** Plans rows into requests. Pure. All commands belong to `store`. */
  plan(commands: readonly C[], store: Store): PlannedCommands<C>;
  /** Why a request without an effect must not be sent any more: its store has changed after the request was planned. */
  staleFault?(record: RequestRecord, store: Store): RequestFault | undefined;
  /** Whether requests may be sent again although an earlier try may have had an effect. */
  readonly isRepeatable: boolean;
  /**
   * Sends the request once. Calls `recordAttempt` right before each attempt.
   *
   * @returns the answer, JSON. There is one even if there was nothing to send.
   * @throws {MarketplaceError} of the call.
   * @throws {ConnectorError} retryable: the request's order, product or document is locked.
   */
  send(request: RequestToSend, recordAttempt: RecordAttempt): Promise<unknown>;
  /**
   * Makes the effects of the request's end durable: batch, rejections, state, events, released locks. Must be idempotent.
   *
   * @param items the rows as sent; `undefined` after the archive's retention.
   */
  apply(record: RequestRecord, items: readonly unknown[] | undefined): Promise<void>;
}
