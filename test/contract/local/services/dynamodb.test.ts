import {
  DeleteItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import {
  allow,
  arnOf,
  callAs,
  callerCode,
  functionRole,
  type HandMadeStack,
  key,
  lambdaFunction,
  ref,
  startStack,
  table,
} from '../fixture.ts';

const indexed = table({
  AttributeDefinitions: ['id', 'state', 'time'].map((AttributeName) => ({
    AttributeName,
    AttributeType: 'S',
  })),
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byState',
      KeySchema: [{ AttributeName: 'state', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
    {
      IndexName: 'byTime',
      KeySchema: [
        { AttributeName: 'state', KeyType: 'HASH' },
        { AttributeName: 'time', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
});

function stack(...statements: object[]): HandMadeStack {
  return {
    resources: {
      Key: key(),
      Table: indexed,
      Tokens: table({ SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: arnOf('Key') } }),
      Role: functionRole(...statements),
      Caller: lambdaFunction('caller', 'Role'),
    },
    outputs: { Table: ref('Table'), Tokens: ref('Tokens') },
    functions: { caller: callerCode },
  };
}

function openBatches(TableName: string | undefined) {
  return {
    TableName,
    IndexName: 'byState',
    KeyConditionExpression: '#state = :open',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':open': { S: 'open' } },
  };
}

test('the permission on a table does not include its index', async () => {
  await using started = await startStack(stack(allow('dynamodb:Query', arnOf('Table'))));
  const query = openBatches(started.run.outputs.Table);
  expect(await callAs(started.run, 'DynamoDB', 'Query', query)).toEqual({ error: 'AccessDeniedException' });
  expect(started.run.accessDenied[0]?.resource).toMatch(/\/index\/byState$/);
});

test.each([
  ['succeeds when the key may be used through DynamoDB', 'dynamodb.us-east-1.amazonaws.com', {}],
  [
    'fails when the key may be used through another service only',
    's3.us-east-1.amazonaws.com',
    { error: 'AccessDeniedException' },
  ],
])('reading an encrypted table %s', async (_name, service, outcome) => {
  const viaService = { StringEquals: { 'kms:ViaService': service } };
  await using started = await startStack(
    stack(allow('dynamodb:GetItem', arnOf('Tokens')), allow('kms:Decrypt', arnOf('Key'), viaService)),
  );
  const input = { TableName: started.run.outputs.Tokens, Key: { id: { S: 'a' } } };
  expect(await callAs(started.run, 'DynamoDB', 'GetItem', input)).toEqual(outcome);
});

/** Maps within each other. */
function nested(levels: number): object {
  return { M: levels === 1 ? {} : { a: nested(levels - 1) } };
}

test('a value that nests 32 levels deep is kept', async () => {
  await using started = await startStack(stack(allow('dynamodb:PutItem', arnOf('Table'))));
  const input = { TableName: started.run.outputs.Table, Item: { id: { S: 'a' }, deep: nested(32) } };
  expect(await callAs(started.run, 'DynamoDB', 'PutItem', input)).toEqual({});
});

test.each([
  ['an expression above 4 KB', { UpdateExpression: `REMOVE ${'a'.repeat(4_090)}` }, 'UpdateItem'],
  ['an empty text as the key of a global index', { Item: { id: { S: 'a' }, state: { S: '' } } }, 'PutItem'],
  ['a value that nests 33 levels deep', { Item: { id: { S: 'a' }, deep: nested(33) } }, 'PutItem'],
  ['a partition key above 2,048 bytes of UTF-8', { Item: { id: { S: 'é'.repeat(1_025) } } }, 'PutItem'],
  [
    'a key above 2,048 bytes of UTF-8 that is not there',
    { Key: { id: { S: 'é'.repeat(1_025) } } },
    'GetItem',
  ],
  [
    'a sort key of a global index above 1,024 bytes of UTF-8',
    { Item: { id: { S: 'a' }, state: { S: 'open' }, time: { S: 'é'.repeat(513) } } },
    'PutItem',
  ],
  [
    'an item above 400 KB of UTF-8',
    { Item: { id: { S: 'a' }, list: { L: [{ M: { text: { S: 'é'.repeat(205 * 1_024) } } }] } } },
    'PutItem',
  ],
])('%s is refused, as DynamoDB does', async (_name, given, operation) => {
  await using started = await startStack(stack(allow(`dynamodb:${operation}`, arnOf('Table'))));
  const Key = operation === 'UpdateItem' ? { Key: { id: { S: 'a' } } } : {};
  const input = { TableName: started.run.outputs.Table, ...Key, ...given };
  expect(await callAs(started.run, 'DynamoDB', operation, input)).toEqual({ error: 'ValidationException' });
});

test('a global index follows the table after the lag, also for deletions', async () => {
  await using started = await startStack(stack(), { globalIndexLagMs: 400 });
  const { dynamodb, run } = started;
  const TableName = run.outputs.Table;
  const count = async (): Promise<number | undefined> =>
    (await dynamodb.send(new QueryCommand(openBatches(TableName)))).Count;
  await dynamodb.send(new PutItemCommand({ TableName, Item: { id: { S: '1' }, state: { S: 'open' } } }));
  expect(await count()).toBe(0);
  await expect.poll(count).toBe(1);
  await dynamodb.send(new DeleteItemCommand({ TableName, Key: { id: { S: '1' } } }));
  expect(await count()).toBe(1);
  await expect.poll(count).toBe(0);
});

test('an item holds up to 400 KB', async () => {
  await using started = await startStack(stack());
  const put = (bytes: number) => {
    const Item = { id: { S: '1' }, text: { S: 'x'.repeat(bytes) } };
    return started.dynamodb.send(new PutItemCommand({ TableName: started.run.outputs.Table, Item }));
  };
  await expect(put(399 * 1024)).resolves.toBeDefined();
  await expect(put(401 * 1024)).rejects.toThrow(/size/i);
});

test('an operation that the local DynamoDB lacks is refused with that reason', async () => {
  await using started = await startStack(stack());
  const TransactItems = [{ Delete: { TableName: started.run.outputs.Table, Key: { id: { S: '1' } } } }];
  const transaction = started.dynamodb.send(new TransactWriteItemsCommand({ TransactItems }));
  await expect(transaction).rejects.toThrow('The local DynamoDB has no TransactWriteItems');
});
