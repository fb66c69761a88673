import type { PageRequest } from '../collections/page-request.ts';
import type { VersionedTable } from '../collections/versioned-table.ts';
import type { CommandPlan, LockRecord, RequestRecord } from './model.ts';

/**
 * The Requests table: requests that must not be repeated blindly, and the plans of the commands that they are of. Reads and
 * changes throw ConnectorError `RECORD_UNREADABLE` for a record that breaks its schema.
 */
export interface RequestTable extends VersionedTable<RequestRecord, [recordId: string]> {
  /** Strongly consistent. */
  get(recordId: string): Promise<RequestRecord | undefined>;
  /**
   * Requests that are open (`isOpen`) and were last touched before `touchedBefore` (ISO 8601), the oldest first; may lag
   * behind. `unreadable`: an error as `get` throws it for each record of the page that is not among `requests`.
   */
  listOpen(query: PageRequest & { readonly touchedBefore: string }): Promise<{
    requests: RequestRecord[];
    unreadable: unknown[];
    cursor?: string;
  }>;
  /** The plans that are stored, by their key (`planKey`); strongly consistent. */
  getPlans(keys: readonly string[]): Promise<ReadonlyMap<string, CommandPlan>>;
  /**
   * Stores the plan if there is none.
   *
   * @returns the plan as it then stands: the first one.
   */
  putPlan(key: string, plan: CommandPlan): Promise<CommandPlan>;
}

/**
 * The locks of products and documents, in the Requests table, by what is locked: `product#{storeClientId}#{productId}` for
 * instance. An order's lock is in its own record.
 */
export type LockTable = VersionedTable<LockRecord, [key: string]>;

/** The queue that a command came from, sending side. */
export interface CommandQueue {
  /** Delivers the message again after `delayMs`, at most 15 minutes. Durable when it resolves. */
  sendLater(body: string, delayMs: number): Promise<void>;
}
