import { Duration, Fn } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { CfnRule, Rule } from 'aws-cdk-lib/aws-events';

/** Events that reached neither a rule's targets nor their dead-letter queue. */
export function failedInvocations(rule: Rule): Metric {
  const { eventBusName } = rule.node.defaultChild as CfnRule;
  // A reference to a custom bus's rule gives `bus|name`. The ARN ends in `rule/name` or `rule/bus/name`.
  const isOfDefaultBus = eventBusName === undefined || eventBusName === 'default';
  const name = Fn.select(isOfDefaultBus ? 1 : 2, Fn.split('/', rule.ruleArn));
  return new Metric({
    namespace: 'AWS/Events',
    metricName: 'FailedInvocations',
    dimensionsMap: { ...(isOfDefaultBus ? {} : { EventBusName: eventBusName }), RuleName: name },
    period: Duration.minutes(5),
    statistic: 'Sum',
  });
}
