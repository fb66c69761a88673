import { Duration } from 'aws-cdk-lib';
import { type ConnectorParts, createFunction } from '../connector-parts.ts';
import type { ConnectorFunction } from '../constructs/connector-function.ts';

/** An HTTP API answers for its function after 30 s. */
const timeout = Duration.seconds(29);

/** Takes the seller back from the marketplace, with the store's credentials. */
export function onboardingCallback(parts: ConnectorParts): ConnectorFunction {
  const fn = createFunction(parts, 'onboarding-callback', {
    description: 'Connects a store when its seller comes back from the onboarding',
    timeout,
  });
  const { callbackStoreParameter, callbackTokenParameter, callbackSessionParameter } = parts.settings;
  const { productNames, orderNames } = parts.settings;
  parts.marketplace.allowRequests(fn);
  parts.tables.stores.allow(fn, 'GetItem', 'UpdateItem');
  parts.tables.sessions.allow(fn, 'GetItem', 'PutItem');
  parts.bus.allowPut(fn);
  fn.set({ callbackStoreParameter, callbackTokenParameter, callbackSessionParameter });
  return fn.set({ productNames, orderNames });
}

/** Answers the routes that operators and the partner's systems call. */
export function operationsApi(parts: ConnectorParts): ConnectorFunction {
  const fn = createFunction(parts, 'operations-api', {
    description: 'Stores, batches, listings and documents over HTTP',
    timeout,
  });
  const { tables, queues, buckets, bus, marketplace } = parts;
  const { itemsPerRequest, batchDeadlineMinutes, pageSize, productNames, orderNames } = parts.settings;
  marketplace.allowRequests(fn);
  tables.batches.allow(fn, 'GetItem', 'PutItem');
  tables.batches.allowQuery(fn, 'byStore');
  tables.batches.allowQuery(fn, 'byState');
  tables.requests.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem');
  tables.requests.allowQuery(fn, 'open');
  tables.stores.allow(fn, 'GetItem', 'UpdateItem', 'Scan');
  tables.sessions.allow(fn, 'GetItem', 'PutItem');
  tables.listings.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem', 'Query');
  tables.listings.allowQuery(fn, 'waiting');
  tables.lanes.allow(fn, 'GetItem', 'UpdateItem');
  tables.guards.allow(fn, 'GetItem', 'PutItem');
  tables.guards.allowQuery(fn, 'held');
  tables.orders.allow(fn, 'GetItem', 'PutItem');
  tables.orders.allowQuery(fn, 'unknown');
  tables.rejections.allow(fn, 'Query', 'BatchWriteItem');
  tables.rejections.allowQuery(fn, 'bySource');
  tables.inputs.allow(fn, 'GetItem', 'BatchGetItem');
  tables.inputs.allowQuery(fn, 'byStore');
  buckets.documents.allowGet(fn);
  buckets.documents.allowPut(fn);
  buckets.documents.allowList(fn);
  buckets.archive.allowGet(fn);
  buckets.archive.allowPut(fn, 'messages/');
  buckets.archive.allowPut(fn, 'requests/');
  buckets.archive.allowList(fn);
  queues.changes.allowSend(fn);
  queues.wake.allowSend(fn);
  queues.productCommands.allowSend(fn);
  for (const queue of queues.all()) queue.allowLookAtDeadLetters(fn);
  fn.set({
    deadLetterQueueUrls: queues
      .all()
      .map(({ deadLetters }) => deadLetters.queueUrl)
      .join(),
  });
  bus.allowPut(fn);
  return fn.set({ itemsPerRequest, batchDeadlineMinutes, pageSize, productNames, orderNames });
}
