import type { FailedRequest } from '../attempts/model.ts';
import type { RequestArchive } from '../batches/ports.ts';
import type { PageRequest } from '../collections/page-request.ts';
import type { VersionedTable } from '../collections/versioned-table.ts';
import type { ReportRejectionsPorts } from '../rejections/use-cases/report-rejections.ts';
import type { ForConnectedStorePorts } from '../stores/use-cases/for-connected-store.ts';
import type { Clock } from '../time/clock.ts';
import type { IsoTime } from '../time/times.ts';
import type { CommandKey, CommandPlan, CommandWait, LockRecord, RequestRecord } from './model.ts';

/** A further ID: of a command its event's ID or a subject's (`subjectId`), of a request the marketplace's ID. */
export type Alias = { readonly id: string } & (
  | { readonly command: CommandKey }
  | { readonly recordId: string }
  | { readonly failed: FailedRequest }
);

/**
 * The Requests table: requests, and the plans of their commands. Reads and changes throw ConnectorError
 * `RECORD_UNREADABLE` for a record that breaks its schema.
 */
export interface RequestTable extends VersionedTable<RequestRecord, [recordId: string]> {
  /** Strongly consistent. */
  get(recordId: string): Promise<RequestRecord | undefined>;
  /** Stores a new record. A record that is already stored under this `recordId` stays as it is. */
  add(record: RequestRecord): Promise<void>;
  /**
   * Open requests (`isOpen`) that were last touched before `touchedBefore`, oldest first. Eventually
   * consistent. `unreadable` has an error for each record of the page that breaks its schema, the same as `get` throws.
   */
  listOpen(query: PageRequest & { readonly touchedBefore: IsoTime }): Promise<{
    requests: RequestRecord[];
    unreadable: unknown[];
    cursor?: string;
  }>;
  /** The stored plans, by key (`planKey`). Eventually consistent: `putPlan` returns a plan that this read missed. */
  getPlans(keys: readonly string[]): Promise<ReadonlyMap<string, CommandPlan>>;
  /** Stores the plan unless the command has one; returns the stored plan. */
  putPlan(key: string, plan: CommandPlan): Promise<CommandPlan>;
  /** Stores in a plan when its rejections were reported. A time that is already stored stays. */
  markReported(key: string, at: IsoTime): Promise<void>;
  /** Stores why commands wait. Replaces the reasons stored before. */
  putWaits(waits: readonly CommandWait[]): Promise<void>;
  /** Why commands wait or have waited, by key (`planKey`). Eventually consistent. */
  getWaits(keys: readonly string[]): Promise<ReadonlyMap<string, CommandWait>>;
  /** Stores further IDs under which commands and requests are found. */
  putAliases(aliases: readonly Alias[]): Promise<void>;
  /** What is stored under this further ID. Eventually consistent. */
  aliasOf(id: string): Promise<Alias | undefined>;
}

/**
 * The locks of products and documents, in the Requests table. A key is for instance `product#{storeClientId}#{productId}`.
 * The lock of an order is in the order's record.
 */
export type LockTable = VersionedTable<LockRecord, [key: string]>;

/** The queue from which a command came. */
export interface CommandQueue {
  /** Delivers the message again after `delayMs`, at most 15 minutes. Durable when it resolves. */
  sendLater(body: string, delayMs: number): Promise<void>;
}

/** The ports that requests of all kinds need. */
export interface LedgerPorts extends ForConnectedStorePorts, ReportRejectionsPorts {
  readonly requests: RequestTable;
  readonly archive: RequestArchive;
  readonly clock: Clock;
  /** Unique every time. */
  readonly newId: () => string;
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number;
  /** A request that has not landed this long after its signature never will. */
  readonly attemptLifetimeMs: number;
}
