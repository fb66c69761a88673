import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { PutOff } from '../commands/use-cases/or-put-off.ts';
import { metrics } from './observability.ts';

/**
 * Measures for how long a command has waited that the marketplace's failures have put off: it is sent anew each time, so
 * that its queue can't tell.
 */
export function measureWaiting({ ageMs }: Partial<PutOff>): void {
  if (ageMs === undefined) return;
  metrics.addMetric('CommandAge', MetricUnit.Milliseconds, ageMs);
}
