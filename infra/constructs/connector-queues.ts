import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { ConnectorSettings } from '../settings.ts';
import { ConnectorQueue, type ConnectorQueueProps } from './connector-queue.ts';

/** The queues by name. The names of construct and setting follow from it: `wake` gives `Wake` and `wakeQueueUrl`. */
const QUEUES = {
  /** Price and stock changes, and events of an unknown kind or without a store, which are rejected with a reason. */
  changes: {},
  /** Tickets: "look at this lane". */
  wake: {},
  /** Files that arrived in the import bucket. */
  catalogImport: {},
  /** Commands that create, sync, update or delete products. */
  productCommands: { batchingWindow: Duration.seconds(1) },
  /** Commands that decide orders or request their dropoff. */
  orderCommands: { batchingWindow: Duration.seconds(1) },
  /** Commands that fetch a shipping label or an invoice. */
  documentCommands: {},
  /** Final summaries with a valid signature. */
  summaries: {},
} satisfies Record<string, Partial<ConnectorQueueProps>>;

type QueueName = keyof typeof QUEUES;
export type ConnectorQueues = Readonly<Record<QueueName, ConnectorQueue>>;

export function createQueues(
  scope: Construct,
  { gatherChangesSeconds }: Pick<ConnectorSettings, 'gatherChangesSeconds'>,
): ConnectorQueues {
  const parent = new Construct(scope, 'Queues');
  const changes = { ...QUEUES.changes, batchingWindow: Duration.seconds(gatherChangesSeconds) };
  const queues = Object.entries({ ...QUEUES, changes }).map(([name, props]) => {
    const queueId = name.charAt(0).toUpperCase() + name.slice(1);
    const variable = `${name as QueueName}QueueUrl` as const;
    return [name, new ConnectorQueue(parent, queueId, { ...props, variable })];
  });
  return Object.fromEntries(queues) as ConnectorQueues;
}
