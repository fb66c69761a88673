import { documentClient, sqsClient } from '../../shared/aws/clients.ts';
import { createLaneTable } from '../../shared/aws/lane-table.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createTicketQueue } from '../../shared/aws/ticket-queue.ts';
import { logger } from '../../shared/lambda/observability.ts';
import { scheduleHandler } from '../../shared/lambda/schedule-handler.ts';
import { wakeLanes } from '../../shared/lanes/use-cases/wake-lanes.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const environment = readEnvironment(['listingsTable', 'lanesTable', 'wakeQueueUrl']);
const tables = documentClient();

const ports = {
  listings: createListingTable(tables, environment.listingsTable),
  lanes: createLaneTable(tables, environment.lanesTable),
  tickets: createTicketQueue(createQueueSender(sqsClient(), environment.wakeQueueUrl)),
  clock: systemClock,
};

/** Every minute: a ticket for each lane with work due and no living lease. */
export const handler = scheduleHandler(async () => {
  logger.info('lanes looked at', await wakeLanes(ports));
});
