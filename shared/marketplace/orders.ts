import * as z from 'zod';
import { rowErrors } from './batch.ts';
import { bulkCall, type Call, storeCall } from './call.ts';
import { dropoffItem, orderDecision } from './order-rows.ts';

/** Body of §4.16. */
const orderDecisions = z.strictObject({ items: z.array(orderDecision).min(1) });
export type OrderDecisions = z.infer<typeof orderDecisions>;

/** Body of §4.17. */
export const dropoffRequest = z.strictObject({ items: z.array(dropoffItem).min(1) });

/** Row errors, if the answer has any. */
const errors = rowErrors.optional();

/** A list in place of `data` may name failed orders. Only orders that the answer names elsewhere are then settled. */
const LIST_OF_UNKNOWN_FORM = { success: false };

/** Answer of §4.16. The specification shows no outcomes per order. */
export const decisionAnswer = z.looseObject({
  success: z.literal(true),
  message: z.string().optional().catch(undefined),
  errors,
  data: z
    .looseObject({ errors })
    .nullish()
    .catch(({ value }) => (Array.isArray(value) && value.length > 0 ? LIST_OF_UNKNOWN_FORM : undefined)),
});

/** The calls that act on orders in bulk. */
export function orderCallsOver(call: Call) {
  return {
    /** Accepts or rejects orders (§4.16). */
    decideOrders: storeCall(call, {
      method: 'POST',
      path: '/partner/stores/orders/decisions',
      body: orderDecisions,
      answer: decisionAnswer,
    }),

    /**
     * Requests dropoff (§4.17, ASYNC). `errors` lists the skipped rows with `orderId`, and the reason as `code`. If all rows are skipped,
     * ORDER_026 has the same in `context.summary` and `context.errors`.
     */
    requestDropoffs: bulkCall(call, {
      method: 'POST',
      path: '/partner/stores/orders/dropoffs',
      body: dropoffRequest,
    }),
  };
}
