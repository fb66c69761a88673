import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { metrics } from './observability.ts';

/** Emits `RowsRejected` of each code, as a metric of its own dimension `code`. */
export function countRejections(rejections: Readonly<Record<string, number>>): void {
  for (const [code, count] of Object.entries(rejections)) {
    const metric = metrics.singleMetric();
    metric.addDimension('code', code);
    metric.addMetric('RowsRejected', MetricUnit.Count, count);
  }
}
