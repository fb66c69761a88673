import * as z from 'zod';
import { documentKindSchema } from '../marketplace/fields.ts';
import { isoTime } from '../time/iso-time.ts';
import { EARLIEST_TIME, isEarly, lookOfTime } from '../time/look-of-time.ts';
import { epochMsSchema } from '../time/times.ts';

/** The latest epoch millisecond of an ECMAScript date. */
const LAST_TIME = 8.64e15;

const ISO_RULE = 'must be ISO 8601 with its offset from UTC';
const TIME_RULE = `${ISO_RULE}, or epoch milliseconds`;
const TOO_EARLY = 'must not be before 2015';

/** An ISO time not before 2015. Earlier times are mistakes of the sender, mostly numbers in another unit. */
const isoTimeOf = (...rule: Parameters<typeof isoTime>) =>
  isoTime(...rule).refine((time) => Date.parse(time) >= EARLIEST_TIME, { message: TOO_EARLY });
const eventTime = isoTimeOf(ISO_RULE);
const MILLISECONDS = /^\d{13}$/;

function timeError({ input }: { readonly input?: unknown }): string {
  const look = lookOfTime(input);
  if (look !== undefined) return `${look}: ${TIME_RULE}`;
  if (typeof input === 'string' && MILLISECONDS.test(input))
    return `"${input}" is a text: epoch milliseconds must be a number`;
  return isEarly(input) ? TOO_EARLY : TIME_RULE;
}

const epochMs = z
  .number()
  .int({ error: timeError })
  .min(EARLIEST_TIME, { error: timeError })
  .max(LAST_TIME, { error: timeError });

/**
 * A change's version: `occurredAt` (ISO 8601 or epoch milliseconds) or the partner's own integer `version`. Without either,
 * the event's `time` counts; its resolution is one second.
 */
export const versionSchema = z.object({
  occurredAt: z.union([isoTimeOf(timeError), epochMs], { error: timeError }).optional(),
  version: z.number().int().nonnegative().optional(),
});
const versionFields = versionSchema.shape;

/** A text that is a part of keys. Halves of characters are refused: in UTF-8 all of them would become the same character. */
const name = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => text.isWellFormed(), 'must be well-formed text');

const storeClientId = name(200);
const commandId = name(200).optional();
/** Rows are checked one by one later, so that an invalid row does not reject its whole event. */
const rows = z.array(z.unknown()).min(1);
/** Whether to send orders of unknown outcome again. */
const retry = z.boolean().optional();

/** The batch whose failed rows a command retries. */
const retryOf = name(500).optional();

const changed = z.looseObject({ storeClientId, ...versionFields, items: rows });
/** With `isOfCommand`, the price and stock of a command. The command's time does not decide a listing's kind of version. */
const queuedChange = changed.extend({ isOfCommand: z.boolean().optional().catch(undefined) });

/** Schema of the `detail` of each incoming event, by its `detail-type`. */
export const incomingDetailSchemas = {
  'stock.changed': changed,
  'price.changed': changed,
  'catalog.sync.requested': z.looseObject({ storeClientId, commandId, products: rows, retryOf }),
  'product.create.requested': z.looseObject({ storeClientId, commandId, products: rows, retryOf }),
  'product.update.requested': z.looseObject({
    storeClientId,
    commandId,
    productId: z.string().min(1),
    changes: z.record(z.string(), z.unknown()),
    /** Version of the changed price and stock, in a store with integer versions. Default: the command's time. */
    version: versionFields.version,
  }),
  'product.delete.requested': z.looseObject({ storeClientId, commandId, ids: rows }),
  'order.decision.requested': z.looseObject({ storeClientId, commandId, items: rows, retry }),
  'order.dropoff.requested': z.looseObject({ storeClientId, commandId, items: rows, retry }),
  'order.document.requested': z.looseObject({
    storeClientId,
    commandId,
    orderId: name(200),
    document: documentKindSchema,
    includeItems: z.boolean().optional(),
    refresh: z.boolean().optional(),
  }),
} as const;

export type IncomingDetailType = keyof typeof incomingDetailSchemas;
export const incomingDetailTypes = Object.keys(incomingDetailSchemas) as IncomingDetailType[];
/** The types of commands. The two other types are changes of desired state. */
export const commandDetailTypes = incomingDetailTypes.filter(
  (one) => one !== 'stock.changed' && one !== 'price.changed',
);

/** Schema of the `detail` of each message that a queue may have: the incoming events, and messages of the connector itself. */
export const queuedDetailSchemas = {
  ...incomingDetailSchemas,
  'stock.changed': queuedChange,
  'price.changed': queuedChange,
  /** Products that were created, or got a SKU: the values of their listings must be sent again. */
  'products.created': z.looseObject({
    storeClientId,
    products: z.array(
      z.object({
        sku: z.string().optional(),
        externalId: z.string().optional(),
        /** Only the product's variants have stock and prices. */
        isParent: z.literal(true).optional().catch(undefined),
      }),
    ),
    /** When the creation became known. A repeated message has the same time. */
    knownAt: epochMsSchema,
    /** When the creation was sent. */
    sentAt: epochMsSchema.optional(),
  }),
  /** A product whose SKU was changed by an update of the connector: the listing of the old name ends. */
  'product.renamed': z.looseObject({
    storeClientId,
    commandId: z.string(),
    from: z.string(),
    to: z.string(),
    /** The update's integer version, if given. */
    version: versionFields.version,
  }),
} as const;
export type QueuedDetailType = keyof typeof queuedDetailSchemas;
export type QueuedDetail<T extends QueuedDetailType> = z.infer<(typeof queuedDetailSchemas)[T]>;

/**
 * An event as EventBridge delivers it to a queue. Partners may send the same JSON to a queue directly: `id` and `time`
 * then default to the message's ID and sent time.
 */
export const incomingEnvelopeSchema = z.looseObject({
  id: name(200).optional(),
  time: eventTime.optional(),
  source: z.string().optional(),
  /** When the first message of the event was sent. Only in a deferred message: the connector writes it there. */
  firstReceivedAt: z.iso.datetime().optional(),
  'detail-type': z.string(),
  detail: z.unknown(),
});

/** A parsed event. */
export interface IncomingEvent<T extends QueuedDetailType> {
  readonly id: string;
  /** Epoch ms. */
  readonly time: number;
  readonly detailType: T;
  readonly detail: QueuedDetail<T>;
}

/**
 * The JSON of an incoming event that the connector itself sends to its queues, in the form that `parseIncomingEvent`
 * reads.
 *
 * @throws {ZodError} for a detail that breaks its schema
 */
export function writeIncomingEvent<T extends QueuedDetailType>({
  id,
  time,
  detailType,
  detail,
}: IncomingEvent<T>): string {
  return JSON.stringify({
    id,
    time: new Date(time).toISOString(),
    'detail-type': detailType,
    detail: queuedDetailSchemas[detailType].parse(detail),
  });
}

/** Prices and stock of one store that the connector itself sends. */
interface SentChanges {
  readonly id: string;
  /** Epoch ms. The version of the values, unless `version` is given. */
  readonly time: number;
  readonly version?: number | undefined;
  readonly storeClientId: string;
  readonly isOfCommand?: boolean;
  readonly prices: readonly unknown[];
  readonly stocks: readonly unknown[];
}

/** The JSON of the events with these prices and stock, see `writeIncomingEvent`. An empty list gives no event. */
export function writeChanges({ id, time, version, prices, stocks, ...facts }: SentChanges): string[] {
  const when = version === undefined ? { occurredAt: new Date(time).toISOString() } : { version };
  const changes = [
    { detailType: 'price.changed', items: prices },
    { detailType: 'stock.changed', items: stocks },
  ] as const;
  return changes
    .filter(({ items }) => items.length > 0)
    .map(({ detailType, items }) =>
      writeIncomingEvent({ id, time, detailType, detail: { ...facts, ...when, items: [...items] } }),
    );
}
