import type { IncomingDetailType, IncomingEvent } from '../events/incoming.ts';
import type { CallOptions } from '../marketplace/options.ts';
import type { Rejection } from '../rejections/model.ts';
import type { Store } from '../stores/model.ts';
import type { Command, RequestKind, RequestRecord, RequestRow } from './model.ts';
import type { CommandFault } from './rules/rejection.ts';

/** A row of a command that goes into a request. */
export interface PlannedRow<C extends Command> {
  readonly command: C;
  /** Position in its command, from 0. */
  readonly index: number;
  /** The row as it is sent, JSON. */
  readonly item: unknown;
  /** What an answer, a summary or a read-back may call it. */
  readonly names: Omit<RequestRow, 'command' | 'index'>;
}

/** Rows that go out together. */
export interface PlannedRequest<C extends Command> {
  readonly kind: RequestKind;
  /** At least one. */
  readonly rows: readonly PlannedRow<C>[];
}

/** What commands come to: the rows that are sent, and those that are rejected before anything is sent. */
export interface PlannedCommands<C extends Command> {
  readonly requests: readonly PlannedRequest<C>[];
  readonly rejections: readonly Rejection[];
}

/** A request with what is needed to send it. */
export interface RequestToSend {
  readonly record: RequestRecord;
  /** As planned, in the order of `record.rows`. */
  readonly items: readonly unknown[];
  readonly store: Store;
  /** Unique to this invocation's work on the request: holder of the locks that it takes. */
  readonly senderId: string;
  /** Sends by this invocation that failed before this one. */
  readonly failures: number;
}

/**
 * Records that the request is about to be sent; to be awaited as the last thing before each attempt leaves. `note` is
 * kept with the record for `apply`, JSON.
 *
 * @throws {ConnectorError} REQUEST_BUSY, retryable, when it must not be sent now.
 */
export type RecordAttempt = (
  attempt: Parameters<NonNullable<CallOptions['onAttempt']>>[0],
  note?: unknown,
) => Promise<void>;

/** What one kind of commands supplies to the ledger. */
export interface Domain<C extends Command> {
  readonly detailTypes: readonly IncomingDetailType[];
  /** The command that an event gives. */
  read(event: IncomingEvent<IncomingDetailType>): C;
  /** Rejects a command whole in another way than as `rows.rejected`. May be done again. */
  reject?(command: C, fault: CommandFault): Promise<Rejection>;
  /** Why a command is rejected whole before it is planned, if it is. */
  faultOf?(command: C): CommandFault | undefined;
  /** Which rows of commands go into which request. Pure; `commands` are of one store. */
  plan(commands: readonly C[], store: Store): PlannedCommands<C>;
  /** Whether a request of this kind may be sent again while an earlier try may have taken effect. */
  isRepeatable(kind: RequestKind): boolean;
  /**
   * Sends the request once, with `recordAttempt` as the last thing before each attempt.
   *
   * @returns the answer, JSON; also where there turns out to be nothing to send.
   * @throws {MarketplaceError} of the call.
   * @throws {ConnectorError} retryable, to send it later: its order, product or document is locked.
   */
  send(request: RequestToSend, recordAttempt: RecordAttempt): Promise<unknown>;
  /**
   * Makes everything durable that follows from the request's end: batch, rejections, state, events, released locks. May
   * be done again for the same request. `items` is `undefined` when the archive does not keep them any more.
   */
  apply(record: RequestRecord, items: readonly unknown[] | undefined): Promise<void>;
}
