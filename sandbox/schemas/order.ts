import * as z from 'zod';
import { uuid } from './common.ts';

const orderKey = { orderId: uuid.optional(), invoiceNumber: z.string().min(1).optional() };

const namesOneOrder = (item: { orderId?: unknown; invoiceNumber?: unknown }) =>
  (item.orderId === undefined) !== (item.invoiceNumber === undefined);

const oneKey = { path: ['orderId'], message: 'exactly one of orderId, invoiceNumber' };

/** The body of §4.16. */
export const decisionsBody = z.looseObject({
  items: z
    .array(
      z
        .looseObject({
          ...orderKey,
          decision: z.enum(['accept', 'reject']),
          reasonCode: z.string().optional(),
          reason: z.string().optional(),
        })
        .refine(namesOneOrder, oneKey),
    )
    .min(1, 'items must not be empty'),
});

/** The body of §4.17. */
export const dropoffsBody = z.looseObject({
  items: z.array(z.looseObject(orderKey).refine(namesOneOrder, oneKey)).min(1, 'items must not be empty'),
});

/** The answer of §4.17. */
export const dropoffAnswer = z.object({
  requestId: uuid,
  batchId: uuid,
  summary: z.object({ total: z.int(), accepted: z.int(), skipped: z.int() }),
  errors: z.array(
    z.object({
      orderId: z.string().optional(),
      invoiceNumber: z.string().optional(),
      reason: z.string(),
      message: z.string(),
    }),
  ),
});
