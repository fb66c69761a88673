import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { PutOff } from '../commands/use-cases/or-put-off.ts';
import { metrics } from './observability.ts';

/**
 * Measures for how long a command that was put off has waited: it is sent anew each time, so that its queue can't tell.
 * What waits for a store that is not connected waits for somebody who was told.
 */
export function measureWaiting({ putOff, ageMs = 0 }: Partial<PutOff>): void {
  if (putOff === undefined || putOff === 'STORE_NOT_CONNECTED') return;
  metrics.addMetric('CommandAge', MetricUnit.Milliseconds, ageMs);
}
