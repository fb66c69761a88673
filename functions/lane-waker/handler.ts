import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { documentClient, sqsClient } from '../../shared/aws/clients.ts';
import { createLaneTable } from '../../shared/aws/lane-table.ts';
import { createLimitTable } from '../../shared/aws/limit-table.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createTicketQueue } from '../../shared/aws/ticket-queue.ts';
import { logger, metrics } from '../../shared/lambda/observability.ts';
import { scheduleHandler } from '../../shared/lambda/schedule-handler.ts';
import { type LaneSeen, wakeLanes } from '../../shared/lanes/use-cases/wake-lanes.ts';
import { grantedInMinuteBefore } from '../../shared/limits/rules/count.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const environment = readEnvironment([
  'listingsTable',
  'lanesTable',
  'limitsTable',
  'wakeQueueUrl',
  'partnerClientId',
  'requestsPerSecond',
]);
const tables = documentClient();
const limits = createLimitTable(tables, environment.limitsTable);

const ports = {
  listings: createListingTable(tables, environment.listingsTable),
  lanes: createLaneTable(tables, environment.lanesTable),
  tickets: createTicketQueue(createQueueSender(sqsClient(), environment.wakeQueueUrl)),
  clock: systemClock,
};

/** Every minute: a ticket for each lane with work due and no living lease; how long work waits, how full the limit is. */
export const handler = scheduleHandler(async () => {
  const lanes = await wakeLanes(ports);
  measureLanes(lanes);
  await measureLimit();
  logger.info('lanes looked at', {
    lanes: lanes.length,
    woken: lanes.filter(({ woken }) => woken).length,
  });
});

/** Each lane by itself, and all of them together: an alarm can't name the stores that are yet to come. */
function measureLanes(lanes: readonly LaneSeen[]): void {
  for (const lane of lanes) measureLane(lane);
  const ages = lanes.map(({ oldestChangeAgeMs }) => oldestChangeAgeMs);
  metrics.addMetric('OldestChangeAge', MetricUnit.Milliseconds, Math.max(0, ...ages));
}

function measureLane({ storeClientId, oldestChangeAgeMs }: LaneSeen): void {
  const metric = metrics.singleMetric();
  metric.addDimension('storeClientId', storeClientId);
  metric.addMetric('OldestChangeAge', MetricUnit.Milliseconds, oldestChangeAgeMs);
}

/** Percent of the requests that were allowed in the minute before. */
async function measureLimit(): Promise<void> {
  const limit = await limits.get(environment.partnerClientId);
  if (limit === undefined) return;
  const granted = grantedInMinuteBefore(limit, systemClock.now());
  const allowed = environment.requestsPerSecond * 60;
  metrics.addMetric('LimitUtilization', MetricUnit.Percent, (100 * granted) / allowed);
  metrics.addMetric('LanesStopped', MetricUnit.Count, limit.stop === undefined ? 0 : 1);
}
