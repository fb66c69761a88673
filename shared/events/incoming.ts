import { z } from 'zod';
import { documentKindSchema } from '../marketplace/fields.ts';

/** The last epoch millisecond that ECMAScript's dates have. */
const LAST_TIME = 8.64e15;

const TIME_RULE = 'must be ISO 8601 with its offset from UTC, or epoch milliseconds';

/**
 * When a change became true: `occurredAt` (ISO 8601 or epoch milliseconds) or an integer `version` of the partner's
 * own. Without either, the event's own `time` counts, whose resolution is one second.
 */
const versionFields = {
  occurredAt: z
    .union(
      [z.iso.datetime({ offset: true, error: TIME_RULE }), z.number().int().nonnegative().max(LAST_TIME)],
      TIME_RULE,
    )
    .optional(),
  version: z.number().int().nonnegative().optional(),
};

const storeClientId = z.string().min(1).max(200);
const commandId = z.string().min(1).max(200).optional();
/** Rows are checked one by one later, so that a bad one loses nothing else of its event. */
const rows = z.array(z.unknown()).min(1);
/** Sends orders again whose outcome an earlier command left unknown. */
const retry = z.boolean().optional();

/** The batch whose failed rows a command tries again. */
const retryOf = z.string().min(1).max(500).optional();

/** `commandId`: of the command that brought the values; its time decides no listing's kind of version. */
const changed = z.looseObject({ storeClientId, ...versionFields, commandId, items: rows });

/** Schema of the `detail` of each event in, by its `detail-type`. */
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
    /** Of its price and stock, in a store with integer versions; default: the command's time. */
    version: versionFields.version,
  }),
  'product.delete.requested': z.looseObject({ storeClientId, commandId, ids: z.array(z.string()).min(1) }),
  'order.decision.requested': z.looseObject({ storeClientId, commandId, items: rows, retry }),
  'order.dropoff.requested': z.looseObject({ storeClientId, commandId, items: rows, retry }),
  'order.document.requested': z.looseObject({
    storeClientId,
    commandId,
    orderId: z.string().min(1).max(200),
    document: documentKindSchema,
    includeItems: z.boolean().optional(),
    refresh: z.boolean().optional(),
  }),
} as const;

export type IncomingDetailType = keyof typeof incomingDetailSchemas;
export const incomingDetailTypes = Object.keys(incomingDetailSchemas) as IncomingDetailType[];
export type IncomingDetail<T extends IncomingDetailType> = z.infer<(typeof incomingDetailSchemas)[T]>;

/**
 * An event as EventBridge delivers it to a queue. Partners who skip the bus send the same JSON; `id` and `time` then
 * default to the queue message's own ID and sent time.
 */
export const incomingEnvelopeSchema = z.looseObject({
  id: z.string().min(1).max(200).optional(),
  time: z.iso.datetime({ offset: true }).optional(),
  source: z.string().optional(),
  'detail-type': z.string(),
  detail: z.unknown(),
});

/** An event in, parsed: what is known of it even where its detail is wrong. */
export interface IncomingEvent<T extends IncomingDetailType> {
  readonly id: string;
  /** Epoch ms. */
  readonly time: number;
  readonly detailType: T;
  readonly detail: IncomingDetail<T>;
}

/**
 * The JSON of an event in that we send ourselves, as a partner would send it and `parseIncomingEvent`
 * reads it.
 *
 * @throws {ZodError} for a detail that breaks its schema: the queue would hand us what we reject.
 */
export function writeIncomingEvent<T extends IncomingDetailType>({
  id,
  time,
  detailType,
  detail,
}: IncomingEvent<T>): string {
  return JSON.stringify({
    id,
    time: new Date(time).toISOString(),
    'detail-type': detailType,
    detail: incomingDetailSchemas[detailType].parse(detail),
  });
}
