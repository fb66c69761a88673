import { z } from 'zod';
import { rowError, summaryCounts } from '../marketplace/batch.ts';
import { decision } from '../marketplace/fields.ts';
import type { orderDecision } from '../marketplace/orders.ts';

/** What can be asked of an order in bulk: a decision (§4.16) or a dropoff (§4.17). */
export const orderActionSchema = z.enum(['decision', 'dropoff']);
export type OrderAction = z.infer<typeof orderActionSchema>;

/** A command that was told why its row for an order is not done. */
const turnedAwaySchema = z.object({
  commandId: z.string(),
  decision: decision.optional(),
  /** Its attempt, where an operator found out that it had no effect. */
  attemptId: z.string().optional(),
  code: z.string(),
  message: z.string(),
});
export type TurnedAway = z.infer<typeof turnedAwaySchema>;

const doubtfulAttemptSchema = z.object({
  commandId: z.string(),
  attemptId: z.string(),
  /** ISO 8601 */
  startedAt: z.string(),
  decision: decision.optional(),
  /** It was on its way under another name when both names were found to be one order's. */
  wasOnItsWay: z.boolean().optional(),
});
export type DoubtfulAttempt = z.infer<typeof doubtfulAttemptSchema>;

/** How far an action on an order has come. */
export const actionRecordSchema = z.object({
  /**
   * - `sending`: a request is about to leave or has left, and its outcome is not known yet;
   * - `withdrawn`: the last request surely had no effect, and the action may be sent again;
   * - `done`: the marketplace took it;
   * - `refused`: the marketplace did not, for `code`;
   * - `unknown`: nobody can tell; an operator or an explicit retry decides.
   */
  state: z.enum(['sending', 'withdrawn', 'done', 'refused', 'unknown']),
  commandId: z.string(),
  /** Attempts but the last one that may have had their effect: nobody could tell, or not yet. */
  unknownOf: z.array(doubtfulAttemptSchema).optional(),
  /** Of an unknown outcome: whether the last attempt was refused, which says nothing of those before it. */
  refused: z.boolean().optional(),
  /** The last commands that were rejected for this order: one that comes again is told the same. */
  turnedAway: z.array(turnedAwaySchema).optional(),
  /** Attempt that was made last. */
  attemptId: z.string(),
  /** ISO 8601; when the last attempt was begun. */
  startedAt: z.string(),
  /** ISO 8601; when the state became final or unknown. */
  endedAt: z.string().optional(),
  batchId: z.string().optional(),
  requestId: z.string().optional(),
  /** Why it was refused, or why the outcome is not known. */
  code: z.string().optional(),
  message: z.string().optional(),
  /** Of a decision. */
  decision: decision.optional(),
  reasonCode: z.string().optional(),
  reason: z.string().optional(),
});
export type ActionRecord = z.infer<typeof actionRecordSchema>;

const documentRecordSchema = z.object({
  state: z.enum(['stored', 'failed']),
  commandId: z.string(),
  /** ISO 8601 */
  at: z.string(),
  /** Of the document bucket. */
  key: z.string().optional(),
  sha256: z.string().optional(),
  requestId: z.string().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
});
export type DocumentRecord = z.infer<typeof documentRecordSchema>;

/** What is kept of an order. */
const orderFacts = {
  decision: actionRecordSchema.optional(),
  dropoff: actionRecordSchema.optional(),
  documents: z
    .object({ 'shipping-label': documentRecordSchema.optional(), invoice: documentRecordSchema.optional() })
    .optional(),
};
const orderFactsSchema = z.object(orderFacts);
export type OrderFacts = z.infer<typeof orderFactsSchema>;

/** An order as the Orders table keeps it: all that was done with it through this stack. */
export const orderRecordSchema = z.object({
  storeClientId: z.string().min(1),
  /** The identifier that commands gave: see `orderKeyOf`. */
  orderKey: z.string().min(1),
  /** This key is another name of the order that is kept under `aliasOf`; nothing new is kept here then. */
  aliasOf: z.string().optional(),
  /** Of another name: what was kept here when it became one, for `aliasOf` to take over. It never changes. */
  handedOn: orderFactsSchema.optional(),
  /**
   * An invoice number that was found to be another name of this order, and whose record this one has yet to take over;
   * `since` is ISO 8601. That comes before anything else: see `finishJoin`.
   */
  joining: z.object({ invoiceNumber: z.string(), since: z.string() }).optional(),
  /** Invoice numbers whose records this one took over, each once, or found to be names of another order. */
  joined: z.array(z.string()).optional(),
  orderId: z.string().optional(),
  invoiceNumber: z.string().optional(),
  ...orderFacts,
});
export type OrderRecord = z.infer<typeof orderRecordSchema>;

/** An order as whoever asks for it gets it: whole, by whichever name. */
export const orderSchema = orderRecordSchema.omit({ aliasOf: true, handedOn: true, joining: true });

/** An order by the one identifier that a command gives. */
export interface OrderReference {
  readonly orderId?: string | undefined;
  readonly invoiceNumber?: string | undefined;
}

/** A row of an order command that keeps the rules; `item` goes out as it came. */
export interface OrderRow {
  /** Position in the command's `items`, from 0. */
  readonly index: number;
  readonly item: OrderReference &
    Partial<Pick<z.infer<typeof orderDecision>, 'decision' | 'reasonCode' | 'reason'>>;
}

/** `order.decision.requested` or `order.dropoff.requested`, with its defaults. */
export interface OrderCommand {
  readonly action: OrderAction;
  readonly storeClientId: string;
  /** The partner's own, or the event's ID. */
  readonly commandId: string;
  readonly eventId: string;
  /** Epoch ms: when the command was given. */
  readonly time: number;
  /** As they came: each is still to be checked. */
  readonly items: readonly unknown[];
  /** Sends anew what an earlier command left with an unknown outcome. */
  readonly retry: boolean;
  /** Positions of the items that are left, where an earlier delivery has ended the others. Default: all. */
  readonly rowsLeft?: ReadonlySet<number> | undefined;
}

/** What the marketplace answered to decisions or dropoffs. */
const orderAnswerSchema = z.object({
  batchId: z.string().optional(),
  requestId: z.string().optional(),
  message: z.string().optional(),
  /** Rows that it did not take. */
  skipped: z.array(rowError),
  /** Its counts of the rows. */
  summary: summaryCounts.optional(),
});
export type OrderAnswer = z.infer<typeof orderAnswerSchema>;

const faultSchema = z.object({ code: z.string(), message: z.string(), requestId: z.string().optional() });

/** How a request about orders ended that may have had an effect: by an answer, or nobody can tell. */
export const orderResultSchema = z.union([
  z.object({ answer: orderAnswerSchema }),
  z.object({ unknown: faultSchema }),
]);
export type OrderResult = z.infer<typeof orderResultSchema>;

/** What became of one row of a command. */
export interface RowOutcome {
  readonly index: number;
  /**
   * - `done before`: the marketplace took it earlier;
   * - `busy`: another command is sending the order right now;
   * - `left`: there was no time left to send it.
   */
  readonly state: 'done' | 'done before' | 'rejected' | 'unknown' | 'busy' | 'left';
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly batchId?: string | undefined;
  readonly requestId?: string | undefined;
}
