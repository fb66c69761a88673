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

/**
 * Every minute: sends a ticket for each lane with due work and no living lease, and reports how long changes wait and how
 * much of the limit is used.
 */
export const handler = scheduleHandler(() =>
  inParts(async (onFailure) => {
    const lanes = await wakeLanes(ports, { onFailure });
    reportLanes(lanes);
    reportLimit(await measureLimit(ports, limit));
    logger.info('lanes checked', {
      lanes: lanes.length,
      woken: lanes.filter(({ woken }) => woken).length,
      waitingForPartner: lanes.filter(({ waitsFor }) => waitsFor !== undefined).length,
    });
  }),
);

/**
 * Reports the age of each lane's oldest change, and the oldest of all lanes for the alarm, which can't list the stores in
 * advance. Changes that wait for the partner do not count for the alarm: an event reported them.
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
