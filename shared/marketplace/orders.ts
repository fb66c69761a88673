import { z } from 'zod';
import { json } from './answers.ts';
import { bulkEndpoint } from './bulk-endpoint.ts';
import type { Call } from './call.ts';
import { decision, identifier, uuid } from './fields.ts';
import type { CallOptions } from './options.ts';
import { path, type StoreCredentials } from './request.ts';
import { exactlyOneOf } from './rules/identifiers.ts';
import { obeys } from './rules/problem.ts';

/** A longer invoice number is a mistake, and no key of the orders that are kept. */
const MAX_INVOICE_NUMBER_LENGTH = 200;

const orderReference = {
  orderId: uuid.optional(),
  invoiceNumber: identifier.max(MAX_INVOICE_NUMBER_LENGTH).optional(),
};
const oneReference = exactlyOneOf(['orderId', 'invoiceNumber']);

/** A decision of §4.16. `reasonCode` and `reason` are used with `reject`; the codes are not in the spec. */
export const orderDecision = z
  .strictObject({
    ...orderReference,
    decision,
    reasonCode: z.string().min(1).optional(),
    reason: z.string().optional(),
  })
  .superRefine(obeys(oneReference));

/** Body of §4.16. */
const orderDecisions = z.strictObject({ items: z.array(orderDecision).min(1) });
export type OrderDecisions = z.infer<typeof orderDecisions>;

/** An order of §4.17. */
export const dropoffItem = z.strictObject(orderReference).superRefine(obeys(oneReference));

/** Body of §4.17. */
export const dropoffRequest = z.strictObject({ items: z.array(dropoffItem).min(1) });

/** Answer of §4.16: no more than this, outcomes per order are not in the spec. */
const decisionAnswer = z.looseObject({
  success: z.literal(true),
  message: z.string().optional().catch(undefined),
});
export type DecisionAnswer = z.infer<typeof decisionAnswer>;

/** Accepts or rejects orders in bulk (§4.16, synchronous). */
async function decideOrders(
  call: Call,
  store: StoreCredentials,
  decisions: OrderDecisions,
  options?: CallOptions,
): Promise<DecisionAnswer> {
  return call(
    {
      endpoint: 'decideOrders',
      method: 'POST',
      path: path`/partner/stores/orders/decisions`,
      as: store,
      body: { schema: orderDecisions, value: decisions },
    },
    json(decisionAnswer),
    options,
  );
}

/**
 * Requests dropoff for orders in bulk (§4.17, ASYNC). `summary` counts `total`, `accepted`, `skipped`; a skipped row
 * is in `errors` with its `orderId`, its reason as `code`. ORDER_026 when every row is skipped: `context.summary` and
 * `context.errors` carry the same.
 */
const requestDropoffs = bulkEndpoint({
  endpoint: 'requestDropoffs',
  method: 'POST',
  path: path`/partner/stores/orders/dropoffs`,
  body: dropoffRequest,
});

/** The calls that act on orders in bulk. */
export function orderCallsOver(call: Call) {
  return {
    decideOrders: decideOrders.bind(null, call),
    requestDropoffs: requestDropoffs.bind(null, call),
  };
}
