import * as z from 'zod';
import {
  batchRecordSchema,
  batchStateSchema,
  listedBatchSchema,
  REJECTION_FIELD,
} from '../../shared/batches/model.ts';
import type { BatchTable } from '../../shared/batches/ports.ts';
import { withUnknownRows } from '../../shared/batches/rules/batch-record.ts';
import {
  type BatchesOfTargetPorts,
  batchesOfTarget,
} from '../../shared/batches/use-cases/batches-of-target.ts';
import { discardSummary } from '../../shared/batches/use-cases/operate-batch.ts';
import {
  type RetryBatchPorts,
  readFailedRows,
  retryBatch,
} from '../../shared/batches/use-cases/retry-batch.ts';
import { batchKindSchema } from '../../shared/events/outgoing.ts';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
import { allStoreIds } from '../../shared/stores/use-cases/all-stores.ts';
import { isoTime } from '../../shared/time/iso-time.ts';
import { targetSchema } from './listings.ts';
import { idSchema, pageOf, pageQuery, type Route, rawRoute, route } from './route.ts';

export interface BatchRoutesPorts extends RetryBatchPorts, Omit<BatchesOfTargetPorts, 'batches'> {
  readonly stores: Pick<StoreTable, 'get' | 'list'>;
  readonly batches: Pick<BatchTable, 'get' | 'update' | 'list'>;
}

export const batchPath = z.object({ batchId: z.string().min(1).max(500) });

/** A time in ISO 8601. */
export const sinceSchema = isoTime().transform((time) => new Date(time).toISOString());

const batchQuery = z.strictObject({
  ...pageQuery,
  storeClientId: idSchema.optional(),
  state: batchStateSchema.optional(),
  kind: batchKindSchema.optional(),
  since: sinceSchema.optional(),
  /** Only the last batches of this product. */
  target: targetSchema.optional(),
});

/** Rows to send again: failed rows that may succeed unchanged (`retryable`), or all failed rows. */
const retryBody = z
  .strictObject({ rows: z.enum(['retryable', 'failed']).default('retryable') })
  .default({ rows: 'retryable' });

const retrySchema = z.object({ commandId: z.string(), rows: z.int() });

export function batchRoutes(ports: BatchRoutesPorts): Route[] {
  const { batches } = ports;
  return [
    route(
      'GET /batches',
      {
        summary:
          'Batches, the newest first; with `target` the last ones of a product. Very large ones come without `rejectedRows`: `GET /batches/{batchId}` has them',
        query: batchQuery,
        answers: { 200: pageOf({ batches: z.array(listedBatchSchema) }) },
      },
      async ({ query: { target, ...query } }) => {
        if (target === undefined) return batches.list(query);
        const { storeClientId } = query;
        const stores = storeClientId === undefined ? await allStoreIds(ports.stores) : [storeClientId];
        return { batches: await batchesOfTarget(ports, stores, target, query) };
      },
    ),

    route(
      'GET /batches/{batchId}',
      {
        summary: 'A batch with its rejected and unknown rows',
        path: batchPath,
        answers: { 200: batchRecordSchema },
      },
      async ({ path }) => {
        const batch = await batches.get(path.batchId);
        if (batch === undefined) throw new HttpError(404, 'BATCH_UNKNOWN', `no batch ${path.batchId}`);
        return withUnknownRows(batch);
      },
    ),

    rejectsRoute(ports),

    route(
      'POST /batches/{batchId}/retry',
      {
        summary: 'Sends failed rows of a batch of products again, as a new batch',
        path: batchPath,
        body: retryBody,
        answers: { 202: retrySchema },
      },
      async ({ path: { batchId }, body }) => retryBatch(ports, batchId, body.rows),
    ),

    route(
      'GET /summaries/unmatched',
      {
        summary: 'Final summaries that match no batch',
        query: z.strictObject(pageQuery),
        answers: { 200: pageOf({ summaries: z.array(listedBatchSchema) }) },
      },
      async ({ query }) => {
        const { batches: summaries, ...page } = await batches.list({ ...query, state: 'unmatched' });
        return { summaries, ...page };
      },
    ),

    route(
      'POST /summaries/{batchId}/discard',
      {
        summary: 'Discards a final summary that matches no batch',
        path: batchPath,
        answers: { 200: batchRecordSchema },
      },
      async ({ path: { batchId } }) => discardSummary(ports, batchId),
    ),
  ];
}

function rejectsRoute(ports: BatchRoutesPorts): Route {
  return rawRoute(
    'GET /batches/{batchId}/rejects',
    {
      summary: 'The failed rows of a batch of products, ready to correct and to import again',
      path: batchPath,
      answers: { 200: z.string() },
      mediaType: 'application/x-ndjson',
    },
    async ({ path: { batchId } }) => {
      const { rows } = await readFailedRows(ports, batchId);
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
    },
  );
}
