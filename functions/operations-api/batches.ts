import { z } from 'zod';
import { batchKindSchema, batchStateSchema } from '../../shared/batches/model.ts';
import type { BatchTable } from '../../shared/batches/ports.ts';
import { REJECTION_FIELD } from '../../shared/batches/rules/failed-rows.ts';
import { giveBackRows } from '../../shared/batches/use-cases/give-back-rows.ts';
import { type RetryBatchPorts, retryBatch } from '../../shared/batches/use-cases/retry-batch.ts';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import { pageQuery } from './page-query.ts';
import { type Route, route } from './route.ts';

export interface BatchRoutesPorts extends RetryBatchPorts {
  readonly batches: Pick<BatchTable, 'get' | 'update' | 'list'>;
}

const batchPath = z.object({ batchId: z.string().min(1).max(500) });

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

/** Which rows to try again: those that may succeed as they are, or all that failed. */
const retryBody = z
  .strictObject({ rows: z.enum(['retryable', 'failed']).default('retryable') })
  .default({ rows: 'retryable' });

/** Batches with every rejected row, their rejects, their retry, and final summaries that match none. */
export function batchRoutes(ports: BatchRoutesPorts): Route[] {
  const { batches } = ports;
  return [
    route('GET /batches', { query: batchQuery }, async ({ query }) => ({
      status: 200,
      body: await batches.list(query),
    })),

    route('GET /batches/{batchId}', { path: batchPath }, async ({ path }) => {
      const batch = await batches.get(path.batchId);
      if (batch === undefined) throw new HttpError(404, 'BATCH_UNKNOWN', `no batch ${path.batchId}`);
      return { status: 200, body: batch };
    }),

    route('GET /batches/{batchId}/rejects', { path: batchPath }, async ({ path: { batchId } }) => {
      const { rows } = await giveBackRows(ports, batchId);
      const lines = rows.map(({ row, rejection }) =>
        JSON.stringify({ ...row, [REJECTION_FIELD]: rejection }),
      );
      return {
        status: 200,
        text: lines.map((line) => `${line}\n`).join(''),
        headers: {
          'content-type': 'application/x-ndjson; charset=utf-8',
          'content-disposition': `attachment; filename="rejects-${encodeURIComponent(batchId)}.ndjson"`,
        },
      };
    }),

    route(
      'POST /batches/{batchId}/retry',
      { path: batchPath, body: retryBody },
      async ({ path: { batchId }, body }) => ({
        status: 202,
        body: await retryBatch(ports, batchId, body.rows),
      }),
    ),

    route('GET /summaries/unmatched', { query: z.object(pageQuery) }, async ({ query }) => {
      const { batches: summaries, ...page } = await batches.list({ ...query, state: 'unmatched' });
      return { status: 200, body: { summaries, ...page } };
    }),
  ];
}
