import * as z from 'zod';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import { type OrderCommand, referenceOf } from '../../shared/orders/model.ts';
import type { OrderRowOutcome } from '../../shared/orders/rules/command-outcomes.ts';

/** Answer to decisions or dropoffs: the marketplace's envelope, with the outcome of each row. */
export const orderAnswerSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  requestId: z.string(),
  data: z.object({
    /** The batch of dropoffs. */
    batchId: z.string().optional(),
    summary: z.object({ total: z.int(), accepted: z.int(), skipped: z.int(), unknown: z.int() }),
    errors: z.array(
      z.object({
        rowIndex: z.int(),
        orderId: z.string().optional(),
        invoiceNumber: z.string().optional(),
        code: z.string(),
        message: z.string(),
      }),
    ),
  }),
});
type OrderAnswer = z.infer<typeof orderAnswerSchema>;

/**
 * The answer to a command of a route.
 *
 * @throws HttpError when no order was accepted, now or before: 504 if an outcome is unknown, 409 if the connector refused all orders, 422
 * otherwise
 */
export function orderAnswer(
  { items, commandId, action }: Pick<OrderCommand, 'items' | 'commandId' | 'action'>,
  outcomes: readonly OrderRowOutcome[],
): OrderAnswer {
  const taken = outcomes.filter(({ state }) => state === 'accepted');
  const errors = outcomes
    .filter((outcome) => !taken.includes(outcome))
    .map(({ index, state, code = state, message = code }) => ({
      rowIndex: index,
      ...referenceOf(items[index] ?? {}),
      code,
      message,
    }));
  const unknown = outcomes.filter(({ state }) => state === 'unknown').length;
  const summary = {
    total: outcomes.length,
    accepted: taken.length,
    skipped: errors.length - unknown,
    unknown,
  };
  if (taken.length === 0 && isWholeSkipped(action, outcomes)) {
    const details = { summary, errors };
    throw new HttpError(422, 'ORDER_026', 'No items are eligible for pickup', { details });
  }
  if (taken.length === 0) throw refusal(action, { summary, errors });
  const batchId = outcomes.find((outcome) => outcome.batchId !== undefined)?.batchId;
  return {
    success: true,
    message: errors.length === 0 ? `every ${action} was accepted` : `not every ${action} was accepted`,
    requestId: commandId,
    data: { ...(batchId !== undefined && { batchId }), summary, errors },
  };
}

/** Whether the marketplace skipped all dropoffs: it then answers with an error (§4.17). */
function isWholeSkipped(action: OrderCommand['action'], outcomes: readonly OrderRowOutcome[]): boolean {
  return (
    action === 'dropoff' &&
    outcomes.every(({ state, batchId }) => state === 'rejected' && batchId !== undefined)
  );
}

function refusal(
  action: OrderCommand['action'],
  details: Pick<OrderAnswer['data'], 'summary' | 'errors'>,
): HttpError {
  const { summary, errors } = details;
  const [first] = errors;
  const { code = 'ORDERS_REFUSED' } = first ?? {};
  const isCommon = first !== undefined && errors.every((error) => error.code === code);
  const common = isCommon ? code : 'ORDERS_REFUSED';
  const message = isCommon ? first.message : `no ${action} was accepted: details.errors says why for each`;
  if (summary.unknown > 0) {
    const isAll = isCommon && summary.unknown === summary.total;
    const which = isAll ? 'the outcome' : `the outcome of ${summary.unknown} of ${summary.total}`;
    return new HttpError(504, common, `${which} is unknown: ${message}`, { details });
  }
  const isOurs = errors.every(({ code }) =>
    /^(ORDER_DECIDED_OTHERWISE|ORDER_OUTCOME_UNKNOWN|COMMAND_DISCARDED)$/.test(code),
  );
  return new HttpError(isOurs ? 409 : 422, common, message, { details });
}
