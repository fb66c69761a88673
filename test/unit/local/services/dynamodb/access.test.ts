import { expect, test } from 'vitest';
import { tableAccesses } from '../../../../../local/aws/services/dynamodb/access.ts';

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/listings';

test.each([
  ['a table by name', 'GetItem', { TableName: 'listings' }, table],
  ['a table by ARN', 'GetItem', { TableName: table }, table],
  ['an index', 'Query', { TableName: 'listings', IndexName: 'waiting' }, `${table}/index/waiting`],
  ['a resource', 'ListTagsOfResource', { ResourceArn: table }, table],
  ['no table', 'ListTables', {}, '*'],
])('an operation on %s needs the permission for it', (_name, operation, input, resource) => {
  expect(tableAccesses(operation, input)).toMatchObject([{ action: `dynamodb:${operation}`, resource }]);
});

test('a batch needs the permission for each of its tables', () => {
  expect(tableAccesses('BatchWriteItem', { RequestItems: { listings: [], stores: [] } })).toMatchObject([
    { table: 'listings', action: 'dynamodb:BatchWriteItem', resource: table },
    { table: 'stores', action: 'dynamodb:BatchWriteItem' },
  ]);
});
