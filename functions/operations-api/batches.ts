import { z } from 'zod';
import { batchKindSchema, batchStateSchema } from '../../shared/batches/model.ts';
import type { BatchTable } from '../../shared/batches/ports.ts';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import { pageQuery } from './page-query.ts';
import { type Route, route } from './route.ts';

const batchQuery = z
  .object({
    ...pageQuery,
    storeClientId: z.string().min(1).optional(),
    state: batchStateSchema.optional(),
    kind: batchKindSchema.optional(),
    since: z.iso
      .datetime({ offset: true })
      .transform((time) => new Date(time).toISOString())
      .optional(),
  })
  .refine(({ storeClientId, state }) => storeClientId ?? state, {
    message: 'give storeClientId or state',
    path: ['storeClientId'],
  });

/** Batches with every rejected row, and final summaries that match none. */
export function batchRoutes({ batches }: { batches: Pick<BatchTable, 'get' | 'list'> }): Route[] {
  return [
    route('GET /batches', { query: batchQuery }, async ({ query }) => ({
      status: 200,
      body: await batches.list(query),
    })),

    route(
      'GET /batches/{batchId}',
      { path: z.object({ batchId: z.string().min(1).max(500) }) },
      async ({ path }) => {
        const batch = await batches.get(path.batchId);
        if (batch === undefined) throw new HttpError(404, 'BATCH_UNKNOWN', `no batch ${path.batchId}`);
        return { status: 200, body: batch };
      },
    ),

    route('GET /summaries/unmatched', { query: z.object(pageQuery) }, async ({ query }) => {
      const { batches: summaries, ...page } = await batches.list({ ...query, state: 'unmatched' });
      return { status: 200, body: { summaries, ...page } };
    }),
  ];
}
