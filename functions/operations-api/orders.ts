import * as z from 'zod';
import type { QueueSender } from '../../shared/aws/queue-sender.ts';
import { HttpError, type HttpResponse } from '../../shared/lambda/http-handler.ts';
import { exactlyOneOf, type OrderAction, obeys, orderActionSchema } from '../../shared/marketplace/fields.ts';
import { dropoffItem } from '../../shared/marketplace/order-rows.ts';
import {
  actionStateSchema,
  type OrderView,
  orderKeyOf,
  orderResolutionSchema,
  orderViewSchema,
  referenceOf,
} from '../../shared/orders/model.ts';
import type { OrderEndPorts } from '../../shared/orders/ports.ts';
import { commandOutcomes } from '../../shared/orders/rules/command-outcomes.ts';
import { decisionItem } from '../../shared/orders/rules/plan-orders.ts';
import { resolveOrder, retryOfOrder } from '../../shared/orders/use-cases/unknown-orders.ts';
import { viewOrders } from '../../shared/trace/view-orders.ts';
import { getStore, storePath } from './for-store.ts';
import { orderAnswer, orderAnswerSchema } from './order-answer.ts';
import { openCommandSchema, queueCommand, waitQuery } from './queued-command.ts';
import { idSchema, pageOf, pageQuery, type Route, rawRoute, route } from './route.ts';

export const orderReference = z.strictObject({
  orderId: idSchema.optional(),
  invoiceNumber: idSchema.optional(),
});
const oneReference = obeys(exactlyOneOf(['orderId', 'invoiceNumber']));
/** One order by its name, or a page of the store's orders. */
const ordersQuery = orderReference
  .extend({ state: actionStateSchema.optional(), ...pageQuery })
  .refine((query) => query.orderId === undefined || query.invoiceNumber === undefined, {
    message: 'give orderId or invoiceNumber, or neither for a list',
  });
const orderPage = pageOf({ orders: z.array(orderViewSchema) });
const actionOnOrder = orderReference.extend({ action: orderActionSchema });
const resolution = actionOnOrder.extend({
  outcome: orderResolutionSchema,
  /** How you know the outcome. Kept with the order. */
  reason: z.string().min(1).max(300).optional(),
});

/** Answers to a command of orders. */
const answers = { 200: orderAnswerSchema, 202: openCommandSchema };

export interface OrderRoutesPorts extends OrderEndPorts {
  readonly orderCommands: QueueSender;
  /** Most orders of one call. */
  readonly itemsPerRequest: number;
}

/** Decisions and dropoffs, and the resolution of unknown outcomes. */
export function orderRoutes(ports: OrderRoutesPorts): Route[] {
  return [
    bulkRoute(ports, 'decision', decisionItem),
    bulkRoute(ports, 'dropoff', dropoffItem),

    ...orderReads(ports),

    rawRoute(
      'POST /stores/{storeClientId}/orders/retry',
      {
        summary: 'Sends a decision or dropoff of unknown outcome again',
        path: storePath,
        query: z.strictObject(waitQuery),
        body: actionOnOrder.check(oneReference),
        answers,
      },
      async ({ path, query, body: { action, ...reference }, requestId }) => {
        const order = await knownOrder(ports, path.storeClientId, reference);
        const item = retryOfOrder(order, { ...path, reference, action }, ports.clock.now());
        if (item === undefined) throw notUnknown(action, order[action]?.state);
        return perform(ports, action, { ...path, ...query, requestId, items: [item], retry: true });
      },
    ),

    route(
      'POST /stores/{storeClientId}/orders/resolve',
      {
        summary:
          'Records the outcome of an unknown decision or dropoff: `accepted`, or `rejected`, after which it can be given again',
        path: storePath,
        body: resolution.check(oneReference),
        answers: { 200: orderViewSchema },
      },
      async ({ path: { storeClientId }, body: { action, outcome, reason, ...reference } }) => {
        await knownOrder(ports, storeClientId, reference);
        const order = await resolveOrder(ports, { storeClientId, reference, action }, outcome, reason);
        if (order !== undefined) return order;
        // Another call may have resolved the outcome meanwhile.
        const { [action]: record } = await knownOrder(ports, storeClientId, reference);
        throw notUnknown(action, record?.state);
      },
    ),
  ];
}

function orderReads(ports: OrderEndPorts): Route[] {
  return [
    route(
      'GET /stores/{storeClientId}/orders',
      {
        summary:
          'What this stack did with the orders of a store, or what a command about them waits for, the newest request first; with `orderId` or `invoiceNumber`, that one order',
        path: storePath,
        query: ordersQuery,
        answers: { 200: z.union([orderViewSchema, orderPage]) },
      },
      async ({ path: { storeClientId }, query: { orderId, invoiceNumber, ...query } }) => {
        if (orderId !== undefined || invoiceNumber !== undefined)
          return viewedOrder(ports, storeClientId, { orderId, invoiceNumber });
        await getStore(ports.stores, storeClientId);
        const { orders, ...page } = await ports.orders.list(storeClientId, query);
        return { orders: await viewOrders(ports, orders), ...page };
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

function bulkRoute(ports: OrderRoutesPorts, action: OrderAction, item: z.ZodType): Route {
  return rawRoute(
    `POST /stores/{storeClientId}/orders/${action}s`,
    {
      summary:
        action === 'decision' ? 'Accepts or rejects orders (§4.16)' : 'Requests dropoff for orders (§4.17)',
      path: storePath,
      query: z.strictObject(waitQuery),
      body: z.strictObject({ items: z.array(item).min(1).max(ports.itemsPerRequest) }),
      answers,
    },
    async ({ path, query, body: { items }, requestId }) =>
      perform(ports, action, { ...path, ...query, requestId, items }),
  );
}

interface GivenOrders {
  readonly storeClientId: string;
  readonly requestId: string;
  readonly wait: number;
  readonly items: unknown[];
  readonly retry?: boolean;
}

function perform(
  ports: OrderRoutesPorts,
  action: OrderAction,
  { requestId: id, wait, items, ...rest }: GivenOrders,
): Promise<HttpResponse> {
  const detailType = `order.${action}.requested` as const;
  const command = { id, detailType, detail: { ...rest, items }, wait };
  return queueCommand(ports, ports.orderCommands, command, (end) => ({
    status: 200,
    body: orderAnswer({ action, commandId: id, items }, commandOutcomes(id, items, end)),
  }));
}

async function knownOrder(
  ports: OrderEndPorts,
  storeClientId: string,
  given: z.infer<typeof orderReference>,
) {
  await getStore(ports.stores, storeClientId);
  const order = await ports.orders.get(storeClientId, orderKeyOf(referenceOf(given)));
  if (order === undefined) throw orderUnknown();
  return order;
}

async function viewedOrder(...of: Parameters<typeof knownOrder>): Promise<OrderView> {
  const [order] = await viewOrders(of[0], [await knownOrder(...of)]);
  if (order === undefined) throw orderUnknown();
  return order;
}

function orderUnknown(): HttpError {
  const message =
    'no record of a decision or dropoff of this order: none was sent under this name, or its record is not kept any more';
  return new HttpError(404, 'ORDER_UNKNOWN', message);
}

function notUnknown(action: OrderAction, state = 'not given'): HttpError {
  return new HttpError(409, 'ORDER_NOT_UNKNOWN', `the ${action} of this order is ${state}`);
}
