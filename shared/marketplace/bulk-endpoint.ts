import type { z } from 'zod';
import { json } from './answers.ts';
import { type BatchAnswer, batchAnswer } from './batch.ts';
import type { Call } from './call.ts';
import type { CallOptions } from './options.ts';
import type { RequestDescription, StoreCredentials } from './request.ts';

/** A bulk endpoint of a store (ASYNC): rows in, the batch that they begin out (§2). */
export function bulkEndpoint<Body>(
  description: Pick<RequestDescription, 'endpoint' | 'method' | 'path'> & {
    /** What may be sent, checked before it is signed. */
    readonly body: z.ZodType<Body>;
  },
) {
  const { body: schema, ...request } = description;
  return (call: Call, store: StoreCredentials, value: Body, options?: CallOptions): Promise<BatchAnswer> =>
    call({ ...request, as: store, body: { schema, value } }, json(batchAnswer), options);
}
