import { Duration, Fn, Stack } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { CfnRule, Rule } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import type { FunctionName } from '../function-names.ts';

/** A metric in periods of 5 minutes. */
export function metricOf(
  namespace: string,
  metricName: string,
  dimensionsMap: Record<string, string>,
  statistic = 'Sum',
): Metric {
  return new Metric({ namespace, metricName, dimensionsMap, period: Duration.minutes(5), statistic });
}

/** A metric that a function of the stack of `scope` reports itself, under its service name. */
export function ownMetric(
  scope: Construct,
  metricName: string,
  service: FunctionName,
  statistic = 'Sum',
): Metric {
  return metricOf(Stack.of(scope).stackName, metricName, { service }, statistic);
}

/** The sum of at most 10 metrics in periods of 5 minutes. A missing value counts as zero. */
export function sumOf(...metrics: readonly Metric[]): MathExpression {
  // The IDs in a graph must differ, and one graph may show several sums.
  const named = metrics.map((metric, index) => [`m${metric.metricName}${index}`, metric] as const);
  return new MathExpression({
    expression: named.map(([name]) => `FILL(${name}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(named),
    period: Duration.minutes(5),
  });
}

/** Events that reached neither a rule's targets nor their dead-letter queue. */
export function failedInvocations(rule: Rule): Metric {
  const { eventBusName } = rule.node.defaultChild as CfnRule;
  // A reference to a custom bus's rule gives `bus|name`. The ARN ends in `rule/name` or `rule/bus/name`.
  const isOfDefaultBus = eventBusName === undefined || eventBusName === 'default';
  const name = Fn.select(isOfDefaultBus ? 1 : 2, Fn.split('/', rule.ruleArn));
  const bus = isOfDefaultBus ? {} : { EventBusName: eventBusName };
  return metricOf('AWS/Events', 'FailedInvocations', { ...bus, RuleName: name });
}
