import { randomUUID } from 'node:crypto';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { sqsClient } from '../../shared/aws/clients.ts';
import { documentClient } from '../../shared/aws/document-client.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createGuardTable } from '../../shared/aws/guard-table.ts';
import { createLaneTable } from '../../shared/aws/lane-table.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { connectMarketplace } from '../../shared/aws/marketplace.ts';
import { createQueueSender, createTicketQueue } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createRequestTable } from '../../shared/aws/request-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { addLogKeys } from '../../shared/correlation/log-keys.ts';
import { stopSignal, stopTime } from '../../shared/lambda/deadlines.ts';
import { addCount, countRejections, logger } from '../../shared/lambda/observability.ts';
import { queueHandler } from '../../shared/lambda/queue-handler.ts';
import { requestLog } from '../../shared/lambda/request-log.ts';
import { ticketSchema } from '../../shared/lanes/model.ts';
import type { LaneCounts } from '../../shared/lanes/use-cases/lane-context.ts';
import { pushLane } from '../../shared/lanes/use-cases/push-lane.ts';
import { offerCallsOver } from '../../shared/marketplace/offers.ts';
import { warehouseCallsOver } from '../../shared/marketplace/warehouses.ts';
import { environment } from '../../shared/settings/environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';
import { attemptLifetimeOf, permitWait } from '../../shared/time/waits.ts';

const tables = documentClient();
const { call, limiter } = connectMarketplace(environment, { tables, observer: requestLog });

const ports = {
  listings: createListingTable(tables, environment),
  guards: createGuardTable(tables, environment.guardsTable),
  lanes: createLaneTable(tables, environment.lanesTable),
  stores: createStoreTable(tables, environment.storesTable),
  batches: createBatchTable(tables, environment.batchesTable, environment.recordRetentionDays),
  rejections: createRejectionTable(tables, environment.rejectionsTable, environment.recordRetentionDays),
  requests: createRequestTable(tables, environment.requestsTable, environment.recordRetentionDays),
  tickets: createTicketQueue(createQueueSender(sqsClient(), environment.wakeQueueUrl)),
  events: createEventPublisher(environment.eventBusName),
  limiter,
  marketplace: { ...offerCallsOver(call), ...warehouseCallsOver(call) },
  clock: systemClock,
  newId: randomUUID,
  random: Math.random,
};

const settings = {
  itemsPerRequest: environment.itemsPerRequest,
  requestsPerSecond: environment.requestsPerSecond,
  requestsInFlight: environment.requestsInFlight,
  attemptLifetimeMs: attemptLifetimeOf(environment),
  batchDeadlineMs: environment.batchDeadlineMinutes * 60_000,
};

/** Time to record outcomes after requests in flight are aborted. */
const SETTLING_MS = 10_000;
const lastRequestMs = permitWait.longestMs + environment.requestTimeoutSeconds * 1000 + SETTLING_MS;

/** Sends the waiting changes of the lane that a ticket names. */
export const handler = queueHandler(async ({ body }, context) => {
  const { storeClientId } = ticketSchema.parse(JSON.parse(body));
  addLogKeys({ storeClientId });
  const report = await pushLane(ports, settings, {
    storeClientId,
    stopAt: stopTime(systemClock, context, lastRequestMs),
    signal: stopSignal(context, SETTLING_MS),
    onFailure: measure,
  });
  measure(report);
  if (report.ended === 'partner-refused') addCount('PartnerRefused');
  // After a refusal all changes keep waiting. This line is the first sign of the refusal: the alarm on the age of changes comes later.
  logger[report.refusal === undefined ? 'info' : 'warn']('lane processed', { ...report });
});

function measure({ requests, rows, rejections, leaseExpired }: LaneCounts): void {
  addCount('RequestsSent', requests);
  addCount('RowsSent', rows);
  countRejections(rejections);
  if (leaseExpired) addCount('LeasesExpired');
}
