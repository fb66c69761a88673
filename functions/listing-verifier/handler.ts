import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { sqsClient } from '../../shared/aws/clients.ts';
import { documentClient } from '../../shared/aws/document-client.ts';
import { createDriftTable } from '../../shared/aws/drift-table.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { connectMarketplace } from '../../shared/aws/marketplace.ts';
import { createQueueSender, createTicketQueue } from '../../shared/aws/queue-sender.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { createVerificationTable } from '../../shared/aws/verification-table.ts';
import { type VerifierReport, verifyListings } from '../../shared/drift/use-cases/verify-listings.ts';
import { stopSignal, stopTime } from '../../shared/lambda/deadlines.ts';
import { addCount, logger, metrics } from '../../shared/lambda/observability.ts';
import { requestLog } from '../../shared/lambda/request-log.ts';
import { scheduleHandler } from '../../shared/lambda/schedule-handler.ts';
import { SparePermits } from '../../shared/limits/spare-permits.ts';
import { productReadsOver } from '../../shared/marketplace/products.ts';
import { environment } from '../../shared/settings/environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const tables = documentClient();
const { call, limiter } = connectMarketplace(environment, { tables, observer: requestLog });

const ports = {
  stores: createStoreTable(tables, environment.storesTable),
  listings: createListingTable(tables, environment),
  drift: createDriftTable(tables, environment.driftTable),
  verifications: createVerificationTable(tables, environment.verificationsTable),
  marketplace: productReadsOver(call),
  events: createEventPublisher(environment.eventBusName),
  tickets: createTicketQueue(createQueueSender(sqsClient(), environment.wakeQueueUrl)),
  clock: systemClock,
};
const settings = {
  graceMs: environment.verifierGraceSeconds * 1000,
  cycleMs: environment.verifierCycleHours * 3_600_000,
  pageSize: environment.pageSize,
};

/** Time to record results after the last read. */
const SETTLING_MS = 20_000;
/** Time for one read, with its retries. */
const READING_MS = 70_000;

/** Every 5 minutes: compares live values with the listings, and marks drifted registers as waiting. */
export const handler = scheduleHandler(async (context, onFailure) => {
  if (environment.verifierCallsPerRun === 0 || (await limiter.isRestored())) return;
  const permits = new SparePermits(limiter, systemClock, environment.verifierCallsPerRun);
  const report = await verifyListings({ ...ports, permits }, settings, {
    stopAt: stopTime(systemClock, context, SETTLING_MS + READING_MS),
    signal: stopSignal(context, SETTLING_MS),
    onFailure,
  });
  reportVerification(report);
  logger.info('listings verified', { ...report, calls: environment.verifierCallsPerRun - permits.left });
});

/** The share of drifted listings counts only if a run finds at least this many: a few drifts say nothing. */
const DRIFTS_THAT_COUNT = 10;

function reportVerification({
  verified,
  drifted,
  contested,
  missing,
  oldestCycleAgeMs,
}: VerifierReport): void {
  addCount('ListingsVerified', verified);
  addCount('ListingsDrifted', drifted);
  addCount('ListingsContested', contested);
  addCount('ListingsMissing', missing);
  metrics.addMetric('OldestCycleAge', MetricUnit.Milliseconds, oldestCycleAgeMs);
  const share = drifted < DRIFTS_THAT_COUNT || verified === 0 ? 0 : (100 * drifted) / verified;
  metrics.addMetric('DriftRate', MetricUnit.Percent, share);
}
