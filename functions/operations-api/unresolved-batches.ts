import * as z from 'zod';
import { batchRecordSchema } from '../../shared/batches/model.ts';
import type { SettleBatchPorts } from '../../shared/batches/ports.ts';
import { withUnknownRows } from '../../shared/batches/rules/batch-record.ts';
import { knownOutcomeSchema } from '../../shared/batches/rules/read-back.ts';
import { readBackBatch, resolveBatch } from '../../shared/batches/use-cases/operate-batch.ts';
import { batchEndPorts } from '../../shared/products/batch-ends.ts';
import type { BatchEndPorts } from '../../shared/products/ports.ts';
import { batchPath } from './batches.ts';
import { routeDeadline } from './for-store.ts';
import { type Route, route } from './route.ts';

export type UnresolvedBatchRoutesPorts = SettleBatchPorts &
  BatchEndPorts & {
    /** How long a batch that can't be read back stays open. */
    readonly batchDeadlineMs: number;
  };

/** Most reads for one call: the default rate allows them within the time limit of a route. */
const CALL_BUDGET = 100;

const resolveBody = z
  .strictObject({
    rows: z
      .array(z.strictObject({ rowIndex: z.int().nonnegative(), outcome: knownOutcomeSchema }))
      .default([]),
    /** Outcome of the unknown rows that `rows` does not name. Without it, `rows` must name all of them. */
    rest: knownOutcomeSchema.optional(),
  })
  .refine(({ rows, rest }) => rows.length > 0 || rest !== undefined, {
    error: 'must name each unknown row, unless `rest` is given',
    path: ['rows'],
  })
  .refine(({ rows }) => new Set(rows.map(({ rowIndex }) => rowIndex)).size === rows.length, {
    error: 'must not name a row twice',
    path: ['rows'],
  });

/** The operator's routes for a batch without a final summary. */
export function unresolvedBatchRoutes(routesPorts: UnresolvedBatchRoutesPorts): Route[] {
  const ports: SettleBatchPorts = {
    ...routesPorts,
    ...batchEndPorts(routesPorts),
  };
  return [
    route(
      'POST /batches/{batchId}/read-back',
      {
        summary: 'Reads back the unknown rows of an unresolved batch, or of an open one past its deadline',
        path: batchPath,
        answers: { 200: batchRecordSchema },
      },
      async ({ path: { batchId } }) => {
        const settings = {
          graceMs: routesPorts.batchDeadlineMs,
          callBudget: CALL_BUDGET,
          ...routeDeadline(),
        };
        return withUnknownRows(await readBackBatch(ports, batchId, settings));
      },
    ),

    route(
      'POST /batches/{batchId}/resolve',
      {
        summary:
          'Ends an unresolved batch, or an open one past its deadline. `rows` gives the outcome of unknown rows, `rest` that of all others',
        path: batchPath,
        body: resolveBody,
        answers: { 200: batchRecordSchema },
      },
      async ({ path: { batchId }, body }) => resolveBatch(ports, batchId, body),
    ),
  ];
}
