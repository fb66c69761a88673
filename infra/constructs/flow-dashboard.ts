import { Duration } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type MathExpression,
  type Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { type FunctionName, marketplaceCallers } from '../function-names.ts';
import type { ConnectorApi } from './connector-api.ts';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorQueues } from './connector-queues.ts';
import { ownMetric, sumOf } from './metrics.ts';

const PERIOD = Duration.minutes(5);
const MAXIMUM = { period: PERIOD, statistic: 'Maximum' };
/** Width of a widget; a row has 24. */
const WIDTH = 6;
const HEIGHT = 7;
const PER_ROW = 24 / WIDTH;

export interface FlowDashboardProps {
  readonly queues: ConnectorQueues;
  readonly functions: Readonly<Record<FunctionName, ConnectorFunction>>;
  readonly api: ConnectorApi;
}

/**
 * A dashboard in the order of the flow, from left to right: events in, queues, lanes, requests by outcome; batches, webhooks,
 * dead letters, functions.
 */
export class FlowDashboard extends Construct {
  constructor(scope: Construct, id: string, props: FlowDashboardProps) {
    super(scope, id);
    const queues = Object.values(props.queues);
    const widgets = [
      graph('Events in', [
        this.own('ChangesAccepted', 'change-intake'),
        this.own('ChangesStale', 'change-intake'),
        this.own('ChangesCoalesced', 'change-intake'),
        this.own('CatalogRowsImported', 'catalog-importer'),
        ...queues.map(({ node, queue }) =>
          queue.metricNumberOfMessagesSent({ period: PERIOD, label: `messages of ${node.id}` }),
        ),
      ]),
      graph(
        'Queues: age of the oldest message',
        queues.map(({ node, queue }) =>
          queue.metricApproximateAgeOfOldestMessage({ ...MAXIMUM, label: node.id }),
        ),
      ),
      graph('Lanes', [
        this.own('RowsSent', 'listing-producer'),
        this.own('LeasesExpired', 'listing-producer'),
        this.own('LanesStopped', 'lane-waker', 'Maximum'),
        this.own('LimitUtilization', 'lane-waker', 'Average'),
        this.own('OldestChangeAge', 'lane-waker', 'Maximum'),
      ]),
      graph(
        'Requests by outcome',
        ['RequestsAccepted', 'RequestsRefused', 'RequestsUnknown', 'RequestsNotSent'].map((name) =>
          this.ofAllSenders(name),
        ),
      ),
      graph('Batches and drift', [
        ...['BatchesResolved', 'BatchesUnresolved', 'RequestsAbandoned'].map((name) =>
          this.own(name, 'batch-sweeper'),
        ),
        this.own('OrdersUnknown', 'order-producer'),
        ...['ListingsDrifted', 'ListingsContested'].map((name) => this.own(name, 'listing-verifier')),
      ]),
      graph('Webhooks', [
        props.functions['webhook-receiver'].lambda.metricInvocations({ period: PERIOD, label: 'received' }),
        this.own('WebhooksRefused', 'webhook-receiver'),
        this.own('WebhooksUnsigned', 'webhook-receiver'),
        props.api.metricWebhookFailures(),
      ]),
      graph(
        'Dead letters',
        queues.map(({ node, deadLetters }) =>
          deadLetters.metricApproximateNumberOfMessagesVisible({ ...MAXIMUM, label: node.id }),
        ),
      ),
      graph(
        'Errors of functions',
        Object.values(props.functions).map(({ node, lambda }) =>
          lambda.metricErrors({ period: PERIOD, label: node.id }),
        ),
      ),
    ];
    new Dashboard(this, 'Dashboard', {
      widgets: [widgets.slice(0, PER_ROW), widgets.slice(PER_ROW)],
      defaultInterval: Duration.hours(3),
    });
  }

  /** A metric that the function with this service name reports itself. */
  private own(metricName: string, service: FunctionName, statistic = 'Sum'): Metric {
    return ownMetric(this, metricName, service, statistic).with({ label: metricName });
  }

  private ofAllSenders(metricName: string): MathExpression {
    return sumOf(...marketplaceCallers.map((service) => this.own(metricName, service))).with({
      label: metricName,
    });
  }
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: WIDTH, height: HEIGHT, leftYAxis: { min: 0 } });
}
