import { describe, expect, it } from 'vitest';
import { connectorTemplate, type createConnectorStack } from './support/stacks.ts';

const template = connectorTemplate();
const tables = Object.entries(template.findResources('AWS::DynamoDB::Table')).map(
  ([logicalId, resource]) => [logicalId.replace(/^Tables|Table[0-9A-F]{8}$/g, ''), resource] as const,
);

interface Key {
  AttributeName: string;
  KeyType: string;
}

function keyNames(schema: Key[]): string[] {
  return schema.map((key) => key.AttributeName);
}

function propertiesOf(name: string) {
  return tables.find(([tableName]) => tableName === name)?.[1].Properties;
}

describe('restored tables', () => {
  const restored = connectorTemplate({ restoredTables: 'Restored1' });
  const functions = Object.values(restored.findResources('AWS::Lambda::Function')).map(
    ({ Properties }): Record<string, unknown> => Properties.Environment.Variables,
  );

  it('take the place of all tables but the one that knows from which is sent', () => {
    const own = Object.keys(restored.findResources('AWS::DynamoDB::Table'));

    expect(own).toEqual([expect.stringMatching(/^TablesLimits/)]);
    for (const { LISTINGS_TABLE_NAME = 'Restored1-Listings' } of functions)
      expect(LISTINGS_TABLE_NAME).toBe('Restored1-Listings');
  });

  it('are known to each function that sends', () => {
    const senders = functions.filter(({ MARKETPLACE_BASE_URL }) => MARKETPLACE_BASE_URL !== undefined);

    expect(senders.length).toBeGreaterThan(5);
    for (const { RESTORED_TABLES } of senders) expect(RESTORED_TABLES).toBe('Restored1');
    expect(JSON.stringify(template.findResources('AWS::Lambda::Function'))).not.toContain('RESTORED_TABLES');
  });
});

describe('tables', () => {
  it('have these keys', () => {
    expect(
      Object.fromEntries(tables.map(([name, table]) => [name, keyNames(table.Properties.KeySchema)])),
    ).toEqual({
      Listings: ['storeClientId', 'target'],
      Lanes: ['storeClientId'],
      Waiting: ['storeClientId', 'page'],
      Limits: ['limitId'],
      Guards: ['storeClientId'],
      Stores: ['storeClientId'],
      Sessions: ['nonce'],
      Batches: ['batchId'],
      Rejections: ['storeClientId', 'rejectionId'],
      Requests: ['recordId'],
      Orders: ['storeClientId', 'orderKey'],
      Inputs: ['inputId'],
      ChangeEvents: ['shard', 'takenAt'],
      Drift: ['storeClientId', 'entry'],
      Verifications: ['storeClientId'],
    });
  });

  it('index the listings by product alone, never by store: what waits is in pages, so that a store may have any number of listings', () => {
    const { GlobalSecondaryIndexes, LocalSecondaryIndexes } = propertiesOf('Listings');

    expect(LocalSecondaryIndexes).toBeUndefined();
    expect(GlobalSecondaryIndexes).toEqual([
      expect.objectContaining({
        IndexName: 'byProductId',
        KeySchema: [
          { AttributeName: 'productId', KeyType: 'HASH' },
          { AttributeName: 'target', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      }),
    ]);
  });

  it('index batches by store and by state in order of submission, by keys alone', () => {
    const indexes: { IndexName: string; KeySchema: Key[]; Projection: object }[] =
      propertiesOf('Batches').GlobalSecondaryIndexes;

    for (const { Projection } of indexes) expect(Projection).toEqual({ ProjectionType: 'KEYS_ONLY' });
    expect(Object.fromEntries(indexes.map((index) => [index.IndexName, keyNames(index.KeySchema)]))).toEqual({
      byStore: ['storeClientId', 'submittedAt'],
      byState: ['listedAs', 'submittedAt'],
    });
  });

  it('index the orders of a store by time: those with an unknown outcome, and all by their last request', () => {
    expect(propertiesOf('Orders').GlobalSecondaryIndexes).toEqual([
      expect.objectContaining({
        IndexName: 'unknown',
        KeySchema: [
          { AttributeName: 'storeClientId', KeyType: 'HASH' },
          { AttributeName: 'unknownSince', KeyType: 'RANGE' },
        ],
      }),
      expect.objectContaining({
        IndexName: 'recent',
        KeySchema: [
          { AttributeName: 'storeClientId', KeyType: 'HASH' },
          { AttributeName: 'requestedAt', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      }),
    ]);
  });

  it('index the drifts that are contested by time', () => {
    expect(propertiesOf('Drift').GlobalSecondaryIndexes).toEqual([
      expect.objectContaining({
        IndexName: 'contested',
        KeySchema: [
          { AttributeName: 'contested', KeyType: 'HASH' },
          { AttributeName: 'contestedSince', KeyType: 'RANGE' },
        ],
      }),
    ]);
  });

  it('index the stores with held prices by time, without the other data of their guards', () => {
    expect(propertiesOf('Guards').GlobalSecondaryIndexes).toEqual([
      expect.objectContaining({
        IndexName: 'held',
        KeySchema: [
          { AttributeName: 'held', KeyType: 'HASH' },
          { AttributeName: 'heldSince', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['hold'] },
      }),
    ]);
  });

  it('index the open requests by the time of their last change', () => {
    expect(propertiesOf('Requests').GlobalSecondaryIndexes).toEqual([
      expect.objectContaining({
        IndexName: 'open',
        KeySchema: [
          { AttributeName: 'open', KeyType: 'HASH' },
          { AttributeName: 'touchedAt', KeyType: 'RANGE' },
        ],
      }),
    ]);
  });

  it.each([
    ['Inputs', 'byStore', 'storeClientId', 'putAt'],
    ['Rejections', 'bySource', 'sourceId', 'rejectionId'],
  ])('finds entries of %s by its index %s', (name, IndexName, HASH, RANGE) => {
    expect(propertiesOf(name).GlobalSecondaryIndexes).toEqual([
      expect.objectContaining({
        IndexName,
        KeySchema: [
          { AttributeName: HASH, KeyType: 'HASH' },
          { AttributeName: RANGE, KeyType: 'RANGE' },
        ],
      }),
    ]);
  });

  it('let items expire but those of listings, lanes, limits, guards and stores', () => {
    const expiring = tables.filter(([, table]) => table.Properties.TimeToLiveSpecification?.Enabled);

    expect(expiring.map(([name]) => name).sort()).toEqual([
      'Batches',
      'ChangeEvents',
      'Inputs',
      'Orders',
      'Rejections',
      'Requests',
      'Sessions',
    ]);
    for (const [, table] of expiring) {
      expect(table.Properties.TimeToLiveSpecification.AttributeName).toBe('expiresAt');
    }
  });

  it.each(tables)(
    '%s is on demand, recoverable to a point in time and protected from deletion',
    (_name, table) => {
      expect(table.Properties.BillingMode).toBe('PAY_PER_REQUEST');
      expect(table.Properties.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(true);
      expect(table.Properties.DeletionProtectionEnabled).toBe(true);
      expect(table.DeletionPolicy).toBe('RetainExceptOnCreate');
    },
  );

  it('encrypt store tokens with a customer-managed key that rotates', () => {
    const [keyId, ...others] = Object.keys(template.findResources('AWS::KMS::Key'));

    expect(others).toEqual([]);
    expect(propertiesOf('Stores').SSESpecification).toEqual({
      SSEEnabled: true,
      SSEType: 'KMS',
      KMSMasterKeyId: { 'Fn::GetAtt': [keyId, 'Arn'] },
    });
    template.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true });
  });

  it('are deleted with a trial stack', () => {
    const trial = connectorTemplate({ protectData: false });

    for (const table of Object.values(trial.findResources('AWS::DynamoDB::Table'))) {
      expect(table.Properties.DeletionProtectionEnabled).toBe(false);
      expect(table.DeletionPolicy).toBe('Delete');
    }
  });

  it('have the warm throughput of DynamoDB unless a setting asks for more, for the listings only', () => {
    const stated = (settings: Parameters<typeof createConnectorStack>[0]) =>
      Object.values(connectorTemplate(settings).findResources('AWS::DynamoDB::Table')).flatMap(
        ({ Properties }) => Properties.WarmThroughput ?? [],
      );

    expect(stated({})).toEqual([]);
    expect(stated({ listingsWarmWriteUnits: 10_000 })).toEqual([{ WriteUnitsPerSecond: 10_000 }]);
  });

  it('are on-demand, but for the listings if settings provision them', () => {
    const provisioned = Object.entries(
      connectorTemplate({
        listingsProvisionedReadUnits: 10_000,
        listingsProvisionedWriteUnits: 15_000,
      }).findResources('AWS::DynamoDB::Table'),
    ).filter(([, { Properties }]) => Properties.BillingMode !== 'PAY_PER_REQUEST');

    for (const [, table] of tables) expect(table.Properties.BillingMode).toBe('PAY_PER_REQUEST');
    expect(provisioned.map(([id]) => id)).toEqual([expect.stringMatching(/^TablesListings/)]);
    expect(provisioned[0]?.[1].Properties).toMatchObject({
      ProvisionedThroughput: { ReadCapacityUnits: 10_000, WriteCapacityUnits: 15_000 },
    });
  });

  it('give the functions that write them the days for which records are kept', () => {
    const changed = {
      recordRetentionDays: 30,
      summaryRetentionDays: 3,
      orderRetentionDays: 60,
      changeEventRetentionDays: 9,
    };
    const functions = connectorTemplate(changed).findResources('AWS::Lambda::Function');
    const environmentOf = (name: string) =>
      Object.entries(functions).find(([id]) => id.startsWith(name))?.[1].Properties.Environment.Variables;

    expect(environmentOf('OrderProducer')).toMatchObject({
      RECORD_RETENTION_DAYS: '30',
      ORDER_RETENTION_DAYS: '60',
    });
    expect(environmentOf('ChangeIntake')).toMatchObject({
      RECORD_RETENTION_DAYS: '30',
      CHANGE_EVENT_RETENTION_DAYS: '9',
    });
    expect(environmentOf('SummaryProcessor')).toMatchObject({
      RECORD_RETENTION_DAYS: '30',
      SUMMARY_RETENTION_DAYS: '3',
    });
  });
});
