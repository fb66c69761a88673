import { createChangeEventTable } from '../../shared/aws/change-event-table.ts';
import { sqsClient } from '../../shared/aws/clients.ts';
import { documentClient } from '../../shared/aws/document-client.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createFileReceiptTable } from '../../shared/aws/file-receipt-table.ts';
import { createGuardTable } from '../../shared/aws/guard-table.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { createQueueSender, createTicketQueue } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { takeChanges } from '../../shared/changes/use-cases/take-changes.ts';
import { packAll } from '../../shared/collections/packer.ts';
import { stopTime } from '../../shared/lambda/deadlines.ts';
import {
  addCount,
  countRejections,
  describeError,
  logger,
  logWarnings,
} from '../../shared/lambda/observability.ts';
import { queueBatchHandler } from '../../shared/lambda/queue-handler.ts';
import { environment } from '../../shared/settings/environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const tables = documentClient();

const ports = {
  listings: createListingTable(tables, environment),
  guards: createGuardTable(tables, environment.guardsTable),
  stores: createStoreTable(tables, environment.storesTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable, environment.recordRetentionDays),
  tickets: createTicketQueue(createQueueSender(sqsClient(), environment.wakeQueueUrl)),
  events: createEventPublisher(environment.eventBusName),
  changeEvents: createChangeEventTable(
    tables,
    environment.changeEventsTable,
    environment.changeEventRetentionDays,
  ),
  receipts: createFileReceiptTable(tables, environment.changeEventsTable, environment.recordRetentionDays),
  clock: systemClock,
};

/** Time to finish begun writes, tickets and rejections. */
const FINISHING_MS = 15_000;

/** Events in one log line, far below CloudWatch's limit of 1 MB. */
const LINE = { maxItems: 1_000, maxBytes: 200_000 };

/** Merges stock and price changes into the Listings table. */
export const handler = queueBatchHandler(async (messages, context) => {
  const stopAt = stopTime(systemClock, context, FINISHING_MS);
  const taken = await takeChanges(ports, messages, stopAt);
  const { failures, failedMessageIds: _, events, warnings, ...counts } = taken;
  addCount('ChangesAccepted', taken.accepted);
  addCount('ChangesStale', taken.stale);
  addCount('ChangesCoalesced', taken.coalesced);
  addCount('NegativeStockTaken', taken.negativeStockTaken);
  countRejections(taken.rejections);
  logger.info('changes processed', { messages: messages.length, ...counts });
  for (const some of packAll(events, LINE)) logger.info('events processed', { events: some });
  logWarnings(warnings);
  for (const failure of failures) logger.error('changes not written', describeError(failure));
  return taken;
});
