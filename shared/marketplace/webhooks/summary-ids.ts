import * as z from 'zod';
import { namedStore, trackingId } from '../tracking-ids.ts';

export const summaryIdFields = { batchId: trackingId, requestId: trackingId, storeClientId: namedStore };

export interface SummaryIds extends z.infer<z.ZodObject<typeof summaryIdFields>> {}

/** The IDs of a final summary, from its top level or else from its `data`. */
export function summaryIdsOf({ data, ...body }: SummaryIds & { data?: SummaryIds | undefined }): SummaryIds {
  return {
    batchId: body.batchId ?? data?.batchId,
    requestId: body.requestId ?? data?.requestId,
    storeClientId: body.storeClientId ?? data?.storeClientId,
  };
}

/** Reads only the IDs of a final summary. */
export const summaryIds = z
  .object({ ...summaryIdFields, data: z.object(summaryIdFields).optional().catch(undefined) })
  .transform(summaryIdsOf);
