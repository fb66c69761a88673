import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { z } from 'zod';
import { HttpError, type HttpResponse } from '../../shared/lambda/http-handler.ts';
import { metrics } from '../../shared/lambda/observability.ts';
import { dropoffItem } from '../../shared/marketplace/orders.ts';
import { exactlyOneOf } from '../../shared/marketplace/rules/identifiers.ts';
import { obeys } from '../../shared/marketplace/rules/problem.ts';
import {
  type OrderAction,
  type OrderCommand,
  orderActionSchema,
  orderSchema,
} from '../../shared/orders/model.ts';
import { referenceOf } from '../../shared/orders/rules/order-key.ts';
import { decisionItem } from '../../shared/orders/rules/read-rows.ts';
import { retryOfOrder } from '../../shared/orders/rules/retry-of-order.ts';
import { findOrder } from '../../shared/orders/use-cases/find-order.ts';
import { listUnknown } from '../../shared/orders/use-cases/list-unknown.ts';
import type { OrderPorts } from '../../shared/orders/use-cases/perform-order-command.ts';
import { performOrders } from '../../shared/orders/use-cases/perform-orders.ts';
import { resolveOrder } from '../../shared/orders/use-cases/resolve-order.ts';
import { forStore } from './for-store.ts';
import { orderAnswer, orderAnswerSchema } from './order-answer.ts';
import { pageQuery } from './page-query.ts';
import { type Route, route } from './route.ts';
import { getStore, storePath } from './stores.ts';

const orderReference = z.strictObject({
  orderId: z.string().min(1).max(200).optional(),
  invoiceNumber: z.string().min(1).max(200).optional(),
});
const oneReference = obeys(exactlyOneOf(['orderId', 'invoiceNumber']));
const actionOnOrder = orderReference.extend({ action: orderActionSchema });

/** Decisions and dropoffs, one by one with what became of them; what to do about an unknown outcome. */
export function orderRoutes(ports: OrderPorts): Route[] {
  return [
    bulkRoute(ports, 'decision', decisionItem),
    bulkRoute(ports, 'dropoff', dropoffItem),

    route(
      'GET /stores/{storeClientId}/orders',
      {
        summary: 'What was done with an order through this stack',
        path: storePath,
        query: orderReference.superRefine(oneReference),
        answers: { 200: orderSchema },
      },
      async ({ path, query }) => ({ status: 200, body: await knownOrder(ports, path.storeClientId, query) }),
    ),

    route(
      'GET /stores/{storeClientId}/orders/unknown',
      {
        summary:
          'Orders with a decision or dropoff of which nobody can tell whether it was done, longest first',
        path: storePath,
        query: z.strictObject(pageQuery),
        answers: { 200: z.object({ orders: z.array(orderSchema), cursor: z.string().optional() }) },
      },
      async ({ path: { storeClientId }, query }) => {
        await getStore(ports.stores, storeClientId);
        const now = ports.clock.now();
        return { status: 200, body: await listUnknown(ports.orders, storeClientId, { ...query, now }) };
      },
    ),

    route(
      'POST /stores/{storeClientId}/orders/retry',
      {
        summary: 'Sends a decision or dropoff anew whose outcome stayed unknown',
        path: storePath,
        body: actionOnOrder.superRefine(oneReference),
        answers: { 200: orderAnswerSchema },
      },
      async ({ path: { storeClientId }, body: { action, ...reference }, requestId }) => {
        const order = await knownOrder(ports, storeClientId, reference);
        const wish = { storeClientId, reference, action, commandId: requestId, now: ports.clock.now() };
        const command = retryOfOrder(order, wish);
        if (command === undefined) throw notUnknown(action, order[action]?.state);
        return perform(ports, command);
      },
    ),

    route(
      'POST /stores/{storeClientId}/orders/resolve',
      {
        summary:
          'Says how a decision or dropoff of unknown outcome ended: `done`, or `refused` and free to be given again',
        path: storePath,
        body: actionOnOrder.extend({ outcome: z.enum(['done', 'refused']) }).superRefine(oneReference),
        answers: { 200: orderSchema },
      },
      async ({ path: { storeClientId }, body: { action, outcome, ...reference } }) => {
        const { [action]: record } = await knownOrder(ports, storeClientId, reference);
        const order = await resolveOrder(ports, { storeClientId, reference, action, outcome });
        if (order === undefined) throw notUnknown(action, record?.state);
        return { status: 200, body: order };
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
        time: ports.clock.now(),
        retry: false,
      }),
  );
}

async function perform(ports: OrderPorts, command: OrderCommand): Promise<HttpResponse> {
  const outcomes = await forStore(ports, command.storeClientId, (store) =>
    performOrders(ports, command, store),
  );
  const unknown = outcomes.filter(({ state }) => state === 'unknown').length;
  metrics.addMetric('OrdersUnknown', MetricUnit.Count, unknown);
  return { status: 200, body: orderAnswer(command, outcomes) };
}

async function knownOrder(ports: OrderPorts, storeClientId: string, given: z.infer<typeof orderReference>) {
  await getStore(ports.stores, storeClientId);
  const order = await findOrder(ports.orders, storeClientId, referenceOf(given));
  if (order === undefined) throw new HttpError(404, 'ORDER_UNKNOWN', 'nothing was done with this order here');
  return order;
}

function notUnknown(action: OrderAction, state = 'not given'): HttpError {
  return new HttpError(409, 'ORDER_NOT_UNKNOWN', `the ${action} of this order is ${state}`);
}
