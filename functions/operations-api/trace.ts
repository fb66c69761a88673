import { z } from 'zod';
import { exactlyOneOf, obeys } from '../../shared/marketplace/fields.ts';
import { traceSchema, traceSubjects } from '../../shared/trace/model.ts';
import { type TracePorts, traceOf } from '../../shared/trace/trace.ts';
import { targetSchema } from './listings.ts';
import { type Route, route } from './route.ts';

export interface TraceRoutesPorts extends Omit<TracePorts, 'requests'> {
  readonly ledger: Pick<TracePorts, 'requests'>;
}

const id = z.string().min(1).max(500).optional();
/** Subjects that are stored under their store. */
const OF_A_STORE = ['target', 'orderId', 'invoiceNumber'] as const;

const traceQuery = z
  .strictObject({
    eventId: id,
    commandId: id,
    batchId: id,
    target: targetSchema.optional(),
    orderId: id,
    invoiceNumber: id,
    storeClientId: id,
  })
  .check(obeys(exactlyOneOf(traceSubjects)))
  .refine(
    (query) => query.storeClientId !== undefined || OF_A_STORE.every((name) => query[name] === undefined),
    {
      path: ['storeClientId'],
      message: `must be given with ${OF_A_STORE.join(', ')}`,
    },
  );

/** The history of an event, a command, a batch, a target or an order. */
export function traceRoutes({ ledger, ...ports }: TraceRoutesPorts): Route[] {
  return [
    route(
      'GET /trace',
      {
        summary:
          'The history of an event, a command, a batch, or the target or order of a store, step by step with times: give one of them',
        query: traceQuery,
        answers: { 200: traceSchema },
      },
      async ({ query }) => traceOf({ ...ports, requests: ledger.requests }, query),
    ),
  ];
}
