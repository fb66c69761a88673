import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { createBatchTable } from '../../../shared/aws/batch-table.ts';
import { createLaneTable } from '../../../shared/aws/lane-table.ts';
import { createListingTable } from '../../../shared/aws/listing-table.ts';
import { createOrderTable } from '../../../shared/aws/order-table.ts';
import { createStoreTable } from '../../../shared/aws/store-table.ts';
import { createWaitingPageTable } from '../../../shared/aws/waiting-table.ts';

type Use = (client: DynamoDBDocumentClient) => Promise<unknown>;

interface Read {
  readonly ConsistentRead?: boolean;
}

/** Records the reads that DynamoDB receives, over empty tables. */
async function readsOf(use: Use): Promise<Read[]> {
  const reads: Read[] = [];
  const send = async (command: { input: Read & { RequestItems?: Record<string, Read> } }) => {
    if (/^(Get|Query|Scan)/.test(command.constructor.name)) reads.push(command.input);
    reads.push(...Object.values(command.input.RequestItems ?? {}));
    return {};
  };
  await use({ send } as unknown as DynamoDBDocumentClient);
  return reads;
}

/** A DynamoDB that refuses each condition. */
function refusing(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  const send = async (command: Parameters<typeof client.send>[0]) => {
    if (command.constructor.name !== 'UpdateCommand') return client.send(command);
    throw new ConditionalCheckFailedException({ message: 'the condition failed', $metadata: {} });
  };
  return { send } as unknown as DynamoDBDocumentClient;
}

const tables = { listingsTable: 't', waitingTable: 'w' };
const among = [1] as const;
const lease = { leaseId: 'l-1', now: 0, until: 1 };

test.each<[string, Use]>([
  ['a batch', (client) => createBatchTable(client, 't', 90).get('b-1')],
  ['a link to a batch', (client) => createBatchTable(client, 't', 90).linkedTo('r-1')],
  ['a lane', (client) => createLaneTable(client, 't').get('s-1')],
  ['several lanes', (client) => createLaneTable(client, 't').getMany(['s-1'])],
  ['the pages of what waits', (client) => createWaitingPageTable(client, 't').list({ limit: 1 })],
  [
    'a lane that another may have taken',
    (client) => createLaneTable(refusing(client), 't').acquire('s-1', lease),
  ],
  ['a listing', (client) => createListingTable(client, tables).get('s-1', 'sku:A')],
  ['several listings', (client) => createListingTable(client, tables).getMany('s-1', ['sku:A', 'sku:B'])],
  [
    'the listings that wait',
    (client) => Array.fromAsync(createListingTable(client, tables).waiting('s-1', { among, dueBy: 1 })),
  ],
  ['the time of what is due next', (client) => createListingTable(client, tables).nextDue('s-1')],
  [
    'the listings that are dropped',
    (client) => createListingTable(client, tables).drop('s-1', ['sku'], Number.POSITIVE_INFINITY),
  ],
  ['an order', (client) => createOrderTable(client, 't', 400).get('s-1', 'o-1')],
  [
    'what is to be changed',
    (client) => createOrderTable(client, 't', 400).update('s-1', 'o-1', () => undefined),
  ],
  ['a store', (client) => createStoreTable(client, 't').get('s-1')],
  [
    'the events that stores have yet to tell',
    (client) => createStoreTable(client, 't').listUnpublished({ limit: 1 }),
  ],
])('%s is read consistently', async (_, use) => {
  const reads = await readsOf(use);
  expect(reads).not.toEqual([]);
  for (const read of reads) expect(read).toMatchObject({ ConsistentRead: true });
});
