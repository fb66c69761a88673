import * as z from 'zod';
import { triesSchema } from '../attempts/model.ts';
import { definedOf } from '../collections/defined-of.ts';
import { decision, documentKindSchema, type OrderAction } from '../marketplace/fields.ts';
import { type Command, commandWaitSchema, lockSchema, type RequestKind } from '../requests/model.ts';
import { isoTimeSchema } from '../time/times.ts';

/** Stored records have these words, because earlier versions read and write them. Callers of earlier versions send them too. */
const STORED_WORDS: Readonly<Record<string, string>> = { accepted: 'done', rejected: 'refused' };
const PRESENT_WORDS = new Map<unknown, string>(
  Object.entries(STORED_WORDS).map(([word, stored]) => [stored, word]),
);
const inPresentWords = (given: unknown) => PRESENT_WORDS.get(given) ?? given;

/** How an operator can resolve an unknown outcome. `rejected`: the action had no effect, and may be requested again. */
export const orderResolutionSchema = z.preprocess(inPresentWords, z.enum(['accepted', 'rejected']));
export type OrderResolution = z.infer<typeof orderResolutionSchema>;

const actionFacts = {
  commandId: z.string(),
  /** ID of the action's last request. */
  recordId: z.string(),
  /** The time right before that request was sent. */
  startedAt: isoTimeSchema,
  /** When the state became `accepted`, `rejected` or `unknown`. */
  endedAt: isoTimeSchema.optional(),
  batchId: z.string().optional(),
  /** The marketplace's ID, to quote when contacting its support. */
  requestId: z.string().optional(),
  /** Set at the end, if the request needed several tries. */
  tries: triesSchema.optional(),
  /** Why it was rejected, or why the outcome is unknown. */
  code: z.string().optional(),
  message: z.string().optional(),
  /** This field and the next two are only for decisions. */
  decision: decision.optional(),
  reasonCode: z.string().optional(),
  reason: z.string().optional(),
  /** What an operator recorded after the outcome was unknown. */
  resolution: z
    .object({
      at: isoTimeSchema,
      outcome: orderResolutionSchema,
      reason: z.string().optional(),
      /** Why the outcome was unknown. */
      code: z.string().optional(),
    })
    .optional(),
};

/** `rejected`: by the marketplace, or by an operator's resolution. `unknown`: an operator must resolve or retry it. */
const ends = ['accepted', 'rejected', 'unknown'] as const;
export const actionStateSchema = z.preprocess(inPresentWords, z.enum(['sending', ...ends]));

const endedActionSchema = z.object({
  state: z.preprocess(inPresentWords, z.enum(ends)),
  ...actionFacts,
  /** The lock of the action's request: no other request may be sent before the lock expires. */
  lock: lockSchema.optional(),
});

const sendingActionSchema = z.object({
  state: z.literal('sending'),
  ...actionFacts,
  lock: lockSchema,
  /** The action before this request. It is restored if the request had no effect. */
  before: endedActionSchema.optional(),
});

/**
 * A decision or a dropoff of an order. `sending`: its request is about to be sent, or was sent. After the lock has expired,
 * the request's record has the outcome.
 */
export const actionRecordSchema = z.union([sendingActionSchema, endedActionSchema]);
export type SendingAction = z.infer<typeof sendingActionSchema>;
export type EndedAction = z.infer<typeof endedActionSchema>;
export type ActionRecord = z.infer<typeof actionRecordSchema>;

const documentRecordSchema = z.object({
  state: z.enum(['stored', 'failed']),
  commandId: z.string(),
  at: isoTimeSchema,
  /** Key in the document bucket. After a failure: the key of the document that was stored before, and is still there. */
  key: z.string().optional(),
  sha256: z.string().optional(),
  requestId: z.string().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
});
export type DocumentRecord = z.infer<typeof documentRecordSchema>;

/** The document that a command asks for. Absent for other commands, and if an earlier version has stored that the command waits. */
const ofDocument = { document: documentKindSchema.optional() };

/** A record of the Orders table: everything that was done with an order through this stack. */
export const orderRecordSchema = z.object({
  storeClientId: z.string().min(1),
  /** See `orderKeyOf`. */
  orderKey: z.string().min(1),
  orderId: z.string().optional(),
  invoiceNumber: z.string().optional(),
  decision: actionRecordSchema.optional(),
  dropoff: actionRecordSchema.optional(),
  documents: z
    .object({ 'shipping-label': documentRecordSchema.optional(), invoice: documentRecordSchema.optional() })
    .optional(),
  /**
   * The last command of each kind that had to wait, and since when. Each kind of document counts as a kind of its own. An entry stays
   * after its command was performed.
   */
  waited: z
    .array(commandWaitSchema.pick({ commandId: true, detailType: true, since: true }).extend(ofDocument))
    .optional(),
});
export type OrderRecord = z.infer<typeof orderRecordSchema>;

/** An order as it is stored. */
export function inStoredWords({ decision, dropoff, ...order }: OrderRecord) {
  return {
    ...order,
    ...(decision && { decision: storedAction(decision) }),
    ...(dropoff && { dropoff: storedAction(dropoff) }),
  };
}

function storedAction(action: ActionRecord): object {
  const { state, resolution } = action;
  return {
    ...action,
    state: STORED_WORDS[state] ?? state,
    ...(resolution && { resolution: { ...resolution, outcome: STORED_WORDS[resolution.outcome] } }),
    ...('before' in action && action.before && { before: storedAction(action.before) }),
  };
}

const actionViewSchema = z.object({ state: actionStateSchema, ...actionFacts });

/** An order in answers: without locks. */
export const orderViewSchema = orderRecordSchema.omit({ waited: true }).extend({
  decision: actionViewSchema.optional(),
  dropoff: actionViewSchema.optional(),
  /** The commands about the order that wait and have not ended. */
  waits: z.array(commandWaitSchema.omit({ storeClientId: true, time: true }).extend(ofDocument)).optional(),
});
export type OrderView = z.infer<typeof orderViewSchema>;
/** What a command about an order waits for. */
export type OrderWait = NonNullable<OrderView['waits']>[number];

/** An order by one of its names. */
export interface OrderReference {
  readonly orderId?: string | undefined;
  readonly invoiceNumber?: string | undefined;
}

/** Key of an order: the kind of name that its store uses, and the name. UUIDs are in lower case. */
export function orderKeyOf({ orderId, invoiceNumber }: OrderReference): string {
  if (orderId !== undefined) return `orderId:${orderId.toLowerCase()}`;
  return `invoiceNumber:${invoiceNumber ?? ''}`;
}

/** The order's name, without other fields of a row. */
export function referenceOf({ orderId, invoiceNumber }: OrderReference): OrderReference {
  return definedOf({ orderId, invoiceNumber });
}

/** The kind of request for each action. */
export const REQUEST_KIND_OF = { decision: 'order-decision', dropoff: 'dropoff' } as const;

export function actionOf(kind: RequestKind): OrderAction {
  return kind === REQUEST_KIND_OF.decision ? 'decision' : 'dropoff';
}

/** `order.decision.requested` or `order.dropoff.requested`, with its defaults. */
export interface OrderCommand extends Command {
  readonly action: OrderAction;
  /** Not checked yet. */
  readonly items: readonly unknown[];
  /** Whether to send orders of unknown outcome again. */
  readonly retry: boolean;
}
