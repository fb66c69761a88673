import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { documentClient, sqsClient } from '../../shared/aws/clients.ts';
import { createLaneTable } from '../../shared/aws/lane-table.ts';
import { createLimitTable } from '../../shared/aws/limit-table.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { createQueueSender, createTicketQueue } from '../../shared/aws/queue-sender.ts';
import { logger, metrics } from '../../shared/lambda/observability.ts';
import { inParts, scheduleHandler } from '../../shared/lambda/schedule-handler.ts';
import { type LaneSeen, wakeLanes } from '../../shared/lanes/use-cases/wake-lanes.ts';
import { type LimitMeasures, measureLimit } from '../../shared/limits/measure-limit.ts';
import { readEnvironment } from '../../shared/settings/environment.ts';
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
const limit = {
  limitId: environment.partnerClientId,
  requestsPerSecond: environment.requestsPerSecond,
};

const ports = {
  listings: createListingTable(tables, environment.listingsTable),
  lanes: createLaneTable(tables, environment.lanesTable),
  limits: createLimitTable(tables, environment.limitsTable),
  tickets: createTicketQueue(createQueueSender(sqsClient(), environment.wakeQueueUrl)),
  clock: systemClock,
};

/** Every minute: a ticket for each lane with work due and no living lease; how long work waits, how full the limit is. */
export const handler = scheduleHandler(() =>
  inParts(async (onFailure) => {
    const lanes = await wakeLanes(ports, { onFailure });
    reportLanes(lanes);
    reportLimit(await measureLimit(ports, limit));
    logger.info('lanes looked at', {
      lanes: lanes.length,
      woken: lanes.filter(({ woken }) => woken).length,
      waitingForPartner: lanes.filter(({ waitsFor }) => waitsFor !== undefined).length,
    });
  }),
);

/**
 * Each lane with waiting changes by itself, and all of them together, for the alarm: it can't name the stores that are yet
 * to come. What waits for the partner was reported by an event, and would hide any other in the alarm.
 */
function reportLanes(lanes: readonly LaneSeen[]): void {
  for (const { storeClientId, oldestChangeAgeMs } of lanes) {
    if (oldestChangeAgeMs <= 0) continue;
    const metric = metrics.singleMetric();
    metric.addDimension('storeClientId', storeClientId);
    metric.addMetric('OldestChangeAge', MetricUnit.Milliseconds, oldestChangeAgeMs);
  }
  const ages = lanes.map(({ oldestFreeChangeAgeMs }) => oldestFreeChangeAgeMs);
  metrics.addMetric('OldestChangeAge', MetricUnit.Milliseconds, Math.max(0, ...ages));
}

function reportLimit(measures: LimitMeasures | undefined): void {
  if (measures === undefined) return;
  metrics.addMetric('LimitUtilization', MetricUnit.Percent, measures.utilization);
  metrics.addMetric('LanesStopped', MetricUnit.Count, measures.stopped ? 1 : 0);
}
