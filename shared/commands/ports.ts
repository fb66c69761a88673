import type { PageRequest } from '../collections/page-request.ts';
import type { CommandClaim, CommandStep } from './model.ts';

/** The Commands table. */
export interface CommandTable {
  /**
   * Applies `change` to the newest record of the step and stores the result, as one conditional write; calls it again
   * when another writer came between. `change` returns `undefined` to leave the record as it is.
   *
   * @returns the record as it then stands.
   * @throws ConnectorError `RECORD_UNREADABLE` for a record that breaks its schema.
   */
  update(
    commandId: string,
    change: (current: CommandStep | undefined) => CommandStep | undefined,
  ): Promise<CommandStep | undefined>;
  /**
   * Steps that are open (`isOpen`) and were last begun before `begunBefore` (ISO 8601), the oldest first; may lag behind.
   * `unreadable`: an error as `update` throws it for each record of the page that is not among `steps`.
   */
  listOpen(query: PageRequest & { readonly begunBefore: string }): Promise<{
    steps: CommandStep[];
    unreadable: unknown[];
    cursor?: string;
  }>;
}

/** Who does which command; keys: see `claimKey`. */
export interface ClaimTable {
  /**
   * Stores the claim if there is none.
   *
   * @returns the claim as it then stands: the first one.
   */
  claim(key: string, claim: CommandClaim): Promise<CommandClaim>;
}

/** The queue that a command came from, sending side. */
export interface CommandQueue {
  /** Has the event come again after `delayMs`, at most 15 minutes. Durable when it resolves. */
  sendLater(body: string, delayMs: number): Promise<void>;
}
