import * as z from 'zod';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import { addCount } from '../../shared/lambda/observability.ts';
import { exactlyOneOf, type OrderAction, obeys, orderActionSchema } from '../../shared/marketplace/fields.ts';
import { dropoffItem } from '../../shared/marketplace/order-rows.ts';
import { type OrderCommand, orderKeyOf, orderViewSchema, referenceOf } from '../../shared/orders/model.ts';
import type { OrderPorts } from '../../shared/orders/ports.ts';
import { decisionItem } from '../../shared/orders/rules/plan-orders.ts';
import { performOrders } from '../../shared/orders/use-cases/perform-orders.ts';
import { resolveOrder, retryOfOrder } from '../../shared/orders/use-cases/unknown-orders.ts';
import { getStore, storePath, withinRoute } from './for-store.ts';
import { orderAnswer, orderAnswerSchema } from './order-answer.ts';
import { pageOf, pageQuery, type Route, route } from './route.ts';

export const orderReference = z.strictObject({
  orderId: z.string().min(1).max(200).optional(),
  invoiceNumber: z.string().min(1).max(200).optional(),
});
const oneReference = obeys(exactlyOneOf(['orderId', 'invoiceNumber']));
/** One order by its name, or a page of the store's orders. */
const ordersQuery = orderReference
  .extend({ state: z.enum(['sending', 'done', 'refused', 'unknown']).optional(), ...pageQuery })
  .refine((query) => query.orderId === undefined || query.invoiceNumber === undefined, {
    message: 'give orderId or invoiceNumber, or neither for a list',
  });
const orderPage = pageOf({ orders: z.array(orderViewSchema) });
const actionOnOrder = orderReference.extend({ action: orderActionSchema });
const resolution = actionOnOrder.extend({
  outcome: z.enum(['done', 'refused']),
  /** How you know it. It is kept with the order. */
  reason: z.string().min(1).max(300).optional(),
});

/** Decisions and dropoffs, and the resolution of unknown outcomes. */
export function orderRoutes(ports: OrderPorts): Route[] {
  return [
    bulkRoute(ports, 'decision', decisionItem),
    bulkRoute(ports, 'dropoff', dropoffItem),

    ...orderReads(ports),

    route(
      'POST /stores/{storeClientId}/orders/retry',
      {
        summary: 'Sends a decision or dropoff of unknown outcome again',
        path: storePath,
        body: actionOnOrder.check(oneReference),
        answers: { 200: orderAnswerSchema },
      },
      async ({ path: { storeClientId }, body: { action, ...reference }, requestId }) => {
        const order = await knownOrder(ports, storeClientId, reference);
        const now = ports.clock.now();
        const unknown = { storeClientId, reference, action };
        const command = retryOfOrder(order, unknown, { commandId: requestId, now });
        if (command === undefined) throw notUnknown(action, order[action]?.state);
        return perform(ports, command);
      },
    ),

    route(
      'POST /stores/{storeClientId}/orders/resolve',
      {
        summary:
          'Records the outcome of an unknown decision or dropoff: `done`, or `refused`, after which it can be given again',
        path: storePath,
        body: resolution.check(oneReference),
        answers: { 200: orderViewSchema },
      },
      async ({ path: { storeClientId }, body: { action, outcome, reason, ...reference } }) => {
        await knownOrder(ports, storeClientId, reference);
        const order = await resolveOrder(ports, { storeClientId, reference, action }, outcome, reason);
        if (order !== undefined) return order;
        // Another call may have resolved it meanwhile.
        const { [action]: record } = await knownOrder(ports, storeClientId, reference);
        throw notUnknown(action, record?.state);
      },
    ),
  ];
}

function orderReads(ports: OrderPorts): Route[] {
  return [
    route(
      'GET /stores/{storeClientId}/orders',
      {
        summary:
          'What this stack did with the orders of a store, the newest request first; with `orderId` or `invoiceNumber`, that one order',
        path: storePath,
        query: ordersQuery,
        answers: { 200: z.union([orderViewSchema, orderPage]) },
      },
      async ({ path: { storeClientId }, query: { orderId, invoiceNumber, ...query } }) => {
        if (orderId !== undefined || invoiceNumber !== undefined)
          return knownOrder(ports, storeClientId, { orderId, invoiceNumber });
        await getStore(ports.stores, storeClientId);
        return ports.orders.list(storeClientId, query);
      },
    ),

    route(
      'GET /stores/{storeClientId}/orders/unknown',
      {
        summary: 'Orders with a decision or dropoff of unknown outcome, the oldest first',
        path: storePath,
        query: z.strictObject(pageQuery),
        answers: { 200: orderPage },
      },
      async ({ path: { storeClientId }, query }) => {
        await getStore(ports.stores, storeClientId);
        const now = ports.clock.now();
        return ports.orders.listUnknown(storeClientId, { ...query, now });
      },
    ),
  ];
}

function bulkRoute(ports: OrderPorts, action: OrderAction, item: z.ZodType): Route {
  const body = z.strictObject({ items: z.array(item).min(1).max(ports.itemsPerRequest) });
  return route(
    `POST /stores/{storeClientId}/orders/${action}s`,
    {
      summary:
        action === 'decision' ? 'Accepts or rejects orders (§4.16)' : 'Requests dropoff for orders (§4.17)',
      path: storePath,
      body,
      answers: { 200: orderAnswerSchema },
    },
    async ({ path, body: { items }, requestId }) =>
      perform(ports, {
        ...path,
        action,
        items,
        commandId: requestId,
        eventId: requestId,
        detailType: `order.${action}.requested`,
        time: ports.clock.now(),
        retry: false,
      }),
  );
}

async function perform(ports: OrderPorts, command: OrderCommand) {
  await getStore(ports.stores, command.storeClientId);
  const { decideOrders, requestDropoffs } = ports.calls;
  const calls = withinRoute({ decideOrders, requestDropoffs });
  const outcomes = await performOrders({ ...ports, calls }, command);
  const unknown = outcomes.filter(({ state }) => state === 'unknown').length;
  addCount('OrdersUnknown', unknown);
  return orderAnswer(command, outcomes);
}

async function knownOrder(ports: OrderPorts, storeClientId: string, given: z.infer<typeof orderReference>) {
  await getStore(ports.stores, storeClientId);
  const order = await ports.orders.get(storeClientId, orderKeyOf(referenceOf(given)));
  if (order === undefined)
    throw new HttpError(
      404,
      'ORDER_UNKNOWN',
      'this stack has sent no decision and no dropoff for this order',
    );
  return order;
}

function notUnknown(action: OrderAction, state = 'not given'): HttpError {
  return new HttpError(409, 'ORDER_NOT_UNKNOWN', `the ${action} of this order is ${state}`);
}
