import type { PageRequest } from '../collections/page-request.ts';
import type { CommandPlan, LockedThing, RequestRecord } from './model.ts';

/** The Requests table: requests that must not be repeated blindly, and the plans of the commands that they are of. */
export interface RequestTable {
  /** Strongly consistent. Throws ConnectorError `RECORD_UNREADABLE` for a record that breaks its schema. */
  get(recordId: string): Promise<RequestRecord | undefined>;
  /**
   * Applies `change` to the newest record and stores the result, as one conditional write; calls it again when another
   * writer came between. `change` returns `undefined` to leave the record as it is. Throws as `get` does.
   *
   * @returns the record as it then stands.
   */
  update(
    recordId: string,
    change: (current: RequestRecord | undefined) => RequestRecord | undefined,
  ): Promise<RequestRecord | undefined>;
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

/** The locks of products and documents, in the Requests table; an order's lock is in its own record. */
export interface LockTable {
  /**
   * Applies `change` to the newest record and stores the result, as one conditional write; calls it again when another
   * writer came between. `change` returns `undefined` to leave the record as it is.
   *
   * @param thing what is locked, `product#{storeClientId}#{productId}` for instance.
   * @returns the record as it then stands.
   */
  update(
    thing: string,
    change: (current: LockedThing | undefined) => LockedThing | undefined,
  ): Promise<LockedThing | undefined>;
}

/** The queue that a command came from, sending side. */
export interface CommandQueue {
  /** Delivers the message again after `delayMs`, at most 15 minutes. Durable when it resolves. */
  sendLater(body: string, delayMs: number): Promise<void>;
}
