import * as z from 'zod';
import { exactlyOneOf, obeys } from '../../shared/marketplace/fields.ts';
import { traceSchema, traceSubjects } from '../../shared/trace/model.ts';
import { type TracePorts, traceOf } from '../../shared/trace/trace.ts';
import { batchPath } from './batches.ts';
import { targetSchema } from './listings.ts';
import { idSchema, type Route, route } from './route.ts';

const id = idSchema.optional();
const traceQuery = z
  .strictObject({
    eventId: id,
    commandId: id,
    batchId: batchPath.shape.batchId.optional(),
    target: targetSchema.optional(),
    orderId: id,
    invoiceNumber: id,
    /** The connector's ID of a request, or the marketplace's. */
    requestId: id,
    /** Default: all stores. */
    storeClientId: id,
  })
  .check(obeys(exactlyOneOf(traceSubjects)));

/** The history of an event, a command, a batch, a target or an order. */
export function traceRoutes(ports: TracePorts): Route[] {
  return [
    route(
      'GET /trace',
      {
        summary:
          'The history of an event, a command, a batch, a target or an order, step by step with times: give one of them, and `storeClientId` for the steps of one store',
        query: traceQuery,
        answers: { 200: traceSchema },
      },
      async ({ query }) => traceOf(ports, query),
    ),
  ];
}
