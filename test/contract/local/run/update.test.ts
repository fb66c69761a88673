import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CreationError } from '../../../../local/aws/run/create-resources.ts';
import { type HandMadeStack, startStack, table } from '../fixture.ts';

const TableName = 'things';
const ITEMS = 60;

let dataDirectory: string;

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'local-data-'));
});

afterEach(() => rm(dataDirectory, { recursive: true }));

const attribute = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' });
const hash = (AttributeName: string) => [{ AttributeName, KeyType: 'HASH' }];
const stackOf = (properties: object): HandMadeStack => ({
  resources: { Things: table({ TableName, ...properties }) },
});

/** A run of the stack that leaves items behind. */
async function leaveItems(): Promise<void> {
  await using started = await startStack(stackOf({}), { dataDirectory });
  for (let number = 0; number < ITEMS; number += 1) {
    const Item = { id: { S: `t-${number}` }, colour: { S: number % 2 === 0 ? 'red' : 'blue' } };
    await started.dynamodb.send(new PutItemCommand({ TableName, Item }));
  }
}

test('an index that a newer template adds to a table has the items that were there', async () => {
  await leaveItems();
  const newer = stackOf({
    AttributeDefinitions: [attribute('id'), attribute('colour')],
    GlobalSecondaryIndexes: [
      { IndexName: 'byColour', KeySchema: hash('colour'), Projection: { ProjectionType: 'ALL' } },
    ],
  });
  await using started = await startStack(newer, { dataDirectory });
  const { Items } = await started.dynamodb.send(
    new QueryCommand({
      TableName,
      IndexName: 'byColour',
      KeyConditionExpression: 'colour = :red',
      ExpressionAttributeValues: { ':red': { S: 'red' } },
    }),
  );
  expect(Items).toHaveLength(ITEMS / 2);
});

test('a newer template that would replace a table does not start', async () => {
  await leaveItems();
  const newer = stackOf({ AttributeDefinitions: [attribute('other')], KeySchema: hash('other') });
  const failed = await startStack(newer, { dataDirectory }).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(CreationError);
  expect((failed as Error).cause).toMatchObject({ message: 'an update would replace the table things' });
});
