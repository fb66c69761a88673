import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { previousResources } from '../upgrade/previous-version.ts';
import { type LastingResources, lastingResources, lossesBetween } from '../upgrade/replacement.ts';
import { connectorTemplate } from './support/stacks.ts';

const template = connectorTemplate().toJSON() as { Resources: Resources };
const previous = await previousResources();

type Properties = Record<string, unknown>;
type Resources = Record<string, { Type: string; Properties: Properties }>;
type Index = { IndexName: string; KeySchema: { AttributeName: string }[] };

/** The losses of an update from this version to one that `change` makes of it. */
function lossesAfter(change: (resources: Resources) => void) {
  const changed = structuredClone(template);
  change(changed.Resources);
  return lossesBetween(lastingResources(template), lastingResources(changed));
}

function propertiesOf(resources: Resources, id: string): Properties {
  const { Properties: properties } = resources[id] ?? {};
  if (properties === undefined) throw new Error(`the template has no ${id}`);
  return properties;
}

function idOf(part: string): string {
  const id = Object.keys(template.Resources).find((one) => one.startsWith(part));
  if (id === undefined) throw new Error(`the template has no ${part}`);
  return id;
}

describe('an update from the previous version', () => {
  it('replaces and removes no resource that holds state or an address', () => {
    expect(Object.keys(previous).length).toBeGreaterThan(25);
    expect(lossesBetween(previous, lastingResources(template))).toEqual([]);
  });
});

describe('a way back to the previous version', () => {
  it('takes no more out of the stack than docs/deploy.md names', async () => {
    const losses = lossesBetween(lastingResources(template), previous);
    expect(losses.map((loss) => loss.replace(/^Tables(\w+)Table[0-9A-F]{8}/, '$1'))).toEqual([
      'Drift (AWS::DynamoDB::Table) is removed',
      'Listings: the index byProductId is removed',
      'Orders: the index recent is removed',
      'Verifications (AWS::DynamoDB::Table) is removed',
    ]);
    const page = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'deploy.md'), 'utf8');
    expect(page).toContain('| the tables Drift and Verifications |');
    expect(page).toContain(
      '| the indexes `byProductId` of the Listings table and `recent` of the Orders table |',
    );
  });
});

describe('a loss by an update is seen', () => {
  const batches = idOf('TablesBatchesTable');
  const listings = idOf('TablesListingsTable');
  const bucket = idOf('BucketsImportsBucket');
  const queue = idOf('QueuesChangesQueue');

  it('when nothing changes: there is none', () => {
    expect(lossesAfter(() => {})).toEqual([]);
  });

  it('when a table gets another logical ID', () => {
    const losses = lossesAfter((resources) => {
      resources.TablesRenamed = resources[batches] as never;
      delete resources[batches];
    });
    expect(losses).toEqual([`${batches} (AWS::DynamoDB::Table) is removed`]);
  });

  it.each([
    ['the key of a table', batches, 'KeySchema', [{ AttributeName: 'id', KeyType: 'HASH' }]],
    ['the local indexes of a table', listings, 'LocalSecondaryIndexes', []],
    ['the name of a bucket', bucket, 'BucketName', 'imports'],
    ['the name of a queue', queue, 'QueueName', 'changes'],
    ['the kind of a queue', queue, 'FifoQueue', true],
  ])('when %s changes', (_, id, name, value) => {
    const losses = lossesAfter((resources) => {
      propertiesOf(resources, id)[name] = value;
    });
    expect(losses).toContain(`${id} is replaced: ${name} changes`);
  });

  it('when an attribute of a key gets another type', () => {
    const losses = lossesAfter((resources) => {
      const [first] = propertiesOf(resources, batches).AttributeDefinitions as { AttributeType: string }[];
      if (first) first.AttributeType = 'N';
    });
    expect(losses).toContain(`${batches} is replaced: keyTypes changes`);
  });

  it('when an index changes its key, or goes; but not when one is added', () => {
    const indexesAfter = (change: (indexes: Index[]) => void) =>
      lossesAfter((resources) => {
        change(propertiesOf(resources, batches).GlobalSecondaryIndexes as Index[]);
      });
    const rekeyed = indexesAfter(([first]) => {
      if (first) first.KeySchema = [{ AttributeName: 'other' }];
    });
    expect(rekeyed).toEqual([`${batches}: the index byStore changes`]);
    expect(indexesAfter((indexes) => indexes.shift())).toEqual([`${batches}: the index byStore is removed`]);
    const key = { KeySchema: [{ AttributeName: 'kind' }] };
    expect(indexesAfter((indexes) => indexes.push({ IndexName: 'new', ...key }))).toEqual([]);
    const two = indexesAfter((indexes) =>
      indexes.push({ IndexName: 'new', ...key }, { IndexName: 'newer', ...key }),
    );
    expect(two).toEqual([`${batches}: CloudFormation adds one index in an update, not new and newer`]);
  });

  it('when the key, the secret, the bus or the API goes', () => {
    const kept: LastingResources = lastingResources(template);
    const types = new Set(Object.values(kept).map(({ type }) => type));
    expect([...types].sort()).toEqual([
      'AWS::ApiGatewayV2::Api',
      'AWS::DynamoDB::Table',
      'AWS::Events::EventBus',
      'AWS::KMS::Key',
      'AWS::S3::Bucket',
      'AWS::SQS::Queue',
      'AWS::SecretsManager::Secret',
    ]);
    expect(lossesBetween(kept, {})).toHaveLength(Object.keys(kept).length);
  });
});
