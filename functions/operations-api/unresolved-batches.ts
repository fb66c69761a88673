import { z } from 'zod';
import { batchRecordSchema } from '../../shared/batches/model.ts';
import { withUnknownRows } from '../../shared/batches/rules/batch-record.ts';
import { rowOutcomeSchema } from '../../shared/batches/rules/operator-resolution.ts';
import { readBackBatch, resolveBatch } from '../../shared/batches/use-cases/operate-batch.ts';
import type { SettleBatchPorts } from '../../shared/batches/use-cases/settle-batch.ts';
import { batchEndsOver, type FollowBatchEndPorts } from '../../shared/products/use-cases/batch-ends.ts';
import { batchPath } from './batches.ts';
import { inTime } from './for-store.ts';
import { type Route, route } from './route.ts';

export type UnresolvedBatchRoutesPorts = SettleBatchPorts &
  FollowBatchEndPorts & {
    /** How long an open batch stays open that can not be read back, in milliseconds. */
    readonly batchDeadlineMs: number;
  };

/** What the default rate allows in the time that a route has. */
const CALL_BUDGET = 100;

const resolveBody = z
  .strictObject({
    rows: z.array(z.strictObject({ rowIndex: z.int().nonnegative(), outcome: rowOutcomeSchema })).default([]),
    /** Outcome of the unknown rows that `rows` does not name. Default: all are named. */
    rest: rowOutcomeSchema.optional(),
  })
  .refine(({ rows, rest }) => rows.length > 0 || rest !== undefined, {
    error: 'name each unknown row, or give `rest`',
    path: ['rows'],
  })
  .refine(({ rows }) => new Set(rows.map(({ rowIndex }) => rowIndex)).size === rows.length, {
    error: 'no row twice',
    path: ['rows'],
  });

/** What an operator does about a batch whose final summary did not come. */
export function unresolvedBatchRoutes(routesPorts: UnresolvedBatchRoutesPorts): Route[] {
  const ports: SettleBatchPorts = {
    ...routesPorts,
    ...batchEndsOver(routesPorts),
  };
  return [
    route(
      'POST /batches/{batchId}/read-back',
      {
        summary:
          'Reads the unknown rows of an unresolved batch back now, or of an open one past its deadline',
        path: batchPath,
        answers: { 200: batchRecordSchema },
      },
      async ({ path: { batchId } }) => {
        const settings = { graceMs: routesPorts.batchDeadlineMs, callBudget: CALL_BUDGET, ...inTime() };
        return { status: 200, body: withUnknownRows(await readBackBatch(ports, batchId, settings)) };
      },
    ),

    route(
      'POST /batches/{batchId}/resolve',
      {
        summary:
          'Ends an unresolved batch, or an open one past its deadline: `rows` says how each unknown row ended, `rest` how those that it does not name did',
        path: batchPath,
        body: resolveBody,
        answers: { 200: batchRecordSchema },
      },
      async ({ path: { batchId }, body }) => ({
        status: 200,
        body: await resolveBatch(ports, batchId, body),
      }),
    ),
  ];
}
