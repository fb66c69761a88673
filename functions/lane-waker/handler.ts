import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { sqsClient } from '../../shared/aws/clients.ts';
import { documentClient } from '../../shared/aws/document-client.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createLaneTable } from '../../shared/aws/lane-table.ts';
import { createLimitTable } from '../../shared/aws/limit-table.ts';
import { createQueueSender, createTicketQueue } from '../../shared/aws/queue-sender.ts';
import { createWaitingPageTable } from '../../shared/aws/waiting-table.ts';
import { isolateFailure } from '../../shared/errors/isolate-failure.ts';
import { hasStoppedSending } from '../../shared/health/rules/health.ts';
import { reportHealth } from '../../shared/health/use-cases/report-health.ts';
import { addCount, logger, metrics } from '../../shared/lambda/observability.ts';
import { scheduleHandler } from '../../shared/lambda/schedule-handler.ts';
import { type LaneSeen, wakeLanes } from '../../shared/lanes/use-cases/wake-lanes.ts';
import { type LimitMeasures, measureLimit } from '../../shared/limits/measure-limit.ts';
import { limitIdsOf } from '../../shared/limits/model.ts';
import { environment } from '../../shared/settings/environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const tables = documentClient();
const limit = {
  limitIds: limitIdsOf(environment.partnerClientId, environment),
  requestsPerSecond: environment.requestsPerSecond,
};

const ports = {
  pages: createWaitingPageTable(tables, environment.waitingTable),
  lanes: createLaneTable(tables, environment.lanesTable),
  limits: createLimitTable(tables, environment.limitsTable),
  tickets: createTicketQueue(createQueueSender(sqsClient(), environment.wakeQueueUrl)),
  events: createEventPublisher(environment.eventBusName),
  clock: systemClock,
};

/**
 * Every minute: sends a ticket for each lane with due work and no unexpired lease, and reports how long changes wait, how
 * much of the limit is used, and whether the marketplace answers.
 */
export const handler = scheduleHandler(async (_, onFailure) => {
  const lanes = await wakeLanes(ports, { onFailure });
  const oldestChangeAgeMs = reportLanes(lanes);
  reportLimit(await measureLimit(ports, limit));
  await isolateFailure(onFailure, async () => {
    const { isFailing, health } = await reportHealth(ports, limit.limitIds);
    addCount('MarketplaceFailing', isFailing ? 1 : 0);
    const isStopped = hasStoppedSending(health, { oldestChangeAgeMs, now: systemClock.now() });
    addCount('SendingStopped', isStopped ? 1 : 0);
  });
  logger.info('lanes checked', {
    lanes: lanes.length,
    woken: lanes.filter(({ woken }) => woken).length,
    waitingForPartner: lanes.filter(({ waitsFor }) => waitsFor !== undefined).length,
    oldest: oldestOf(lanes),
  });
});

/**
 * Reports the age of the oldest change of all lanes, for the alarm. With many stores, a metric per store would cost more than everything
 * else in the account; the log names the stores that wait longest. Changes that wait for the partner do not count, as an event has
 * reported them.
 *
 * @returns the age of the oldest change, in milliseconds
 */
function reportLanes(lanes: readonly LaneSeen[]): number {
  const oldest = lanes.reduce((age, { oldestFreeChangeAgeMs }) => Math.max(age, oldestFreeChangeAgeMs), 0);
  metrics.addMetric('OldestChangeAge', MetricUnit.Milliseconds, oldest);
  return oldest;
}

/** Most stores that are logged. */
const OLDEST_LOGGED = 20;

function oldestOf(lanes: readonly LaneSeen[]) {
  return lanes
    .toSorted((a, b) => b.oldestChangeAgeMs - a.oldestChangeAgeMs)
    .slice(0, OLDEST_LOGGED)
    .map(({ storeClientId, oldestChangeAgeMs, waitsFor }) => ({
      storeClientId,
      oldestChangeAgeMs,
      waitsFor,
    }));
}

function reportLimit(measures: LimitMeasures | undefined): void {
  if (measures === undefined) return;
  metrics.addMetric('LimitUtilization', MetricUnit.Percent, measures.utilization);
  addCount('LanesStopped', measures.stopped ? 1 : 0);
}
