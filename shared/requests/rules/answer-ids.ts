import * as z from 'zod';
import type { RequestRecord } from '../model.ts';

const idsSchema = z.object({ batchId: z.string().optional(), requestId: z.string().optional() });
/** The answer for an order has the IDs in `report`; the answer for a document has them in `stored`. */
const answerSchema = z.object({
  report: idsSchema.optional(),
  stored: idsSchema.optional(),
  ...idsSchema.shape,
});

/** The marketplace's IDs in the answer to a request, or in its refusal. */
export function answerIdsOf({
  answer,
  fault,
}: Pick<RequestRecord, 'answer' | 'fault'>): z.infer<typeof idsSchema> {
  const { report, stored, ...own }: z.infer<typeof answerSchema> = answerSchema.safeParse(answer).data ?? {};
  const { batchId, requestId } = report ?? stored ?? own;
  return { batchId, requestId: requestId ?? fault?.requestId };
}
