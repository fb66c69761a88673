import { Duration } from 'aws-cdk-lib';
import { MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';

/** The sum of at most 10 metrics in periods of 5 minutes; a missing one counts as zero. */
export function sumOf(...metrics: readonly Metric[]): MathExpression {
  // One graph may show several sums, and its IDs must differ.
  const named = metrics.map((metric, index) => [`m${metric.metricName}${index}`, metric] as const);
  return new MathExpression({
    expression: named.map(([name]) => `FILL(${name}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(named),
    period: Duration.minutes(5),
  });
}
