import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { documentClient, eventBridgeClient, s3Client } from '../../shared/aws/clients.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { connectMarketplace, marketplaceSettings } from '../../shared/aws/marketplace.ts';
import { createRequestArchive } from '../../shared/aws/request-archive.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { sweepBatches } from '../../shared/batches/use-cases/sweep-batches.ts';
import { logger, metrics } from '../../shared/lambda/observability.ts';
import { scheduleHandler } from '../../shared/lambda/schedule-handler.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const environment = readEnvironment([
  ...marketplaceSettings,
  'batchesTable',
  'storesTable',
  'archiveBucket',
  'eventBusName',
  'batchDeadlineMinutes',
]);
const tables = documentClient();

const ports = {
  batches: createBatchTable(tables, environment.batchesTable),
  stores: createStoreTable(tables, environment.storesTable),
  requests: createRequestArchive(s3Client(), environment.archiveBucket),
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
  marketplace: await connectMarketplace(environment),
  clock: systemClock,
};

/** Reads in one sweep: a quarter of what the default rate allows between two sweeps, the rest is for real work. */
const CALL_BUDGET = 400;
/** Milliseconds left for recording what was seen when the reading is ended. */
const SETTLING_MS = 20_000;

/** Every 5 minutes: takes up the batches that are open past their deadline. */
export const handler = scheduleHandler(async (context) => {
  const report = await sweepBatches(ports, {
    callBudget: CALL_BUDGET,
    graceMs: environment.batchDeadlineMinutes * 60_000,
    signal: AbortSignal.timeout(context.getRemainingTimeInMillis() - SETTLING_MS),
  });
  metrics.addMetric('BatchesResolved', MetricUnit.Count, report.resolved);
  metrics.addMetric('BatchesUnresolved', MetricUnit.Count, report.unresolved);
  logger.info('open batches swept', { ...report });
});
