import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { simpleProduct, skuOf } from '../../local/run/catalog.ts';
import {
  type ConnectorRun,
  type ConnectorRunOptions,
  startConnector,
} from '../../local/run/connector-run.ts';
import { synthesize } from '../../local/run/synthesize.ts';
import { until } from '../../local/run/until.ts';
import { startSandbox } from '../../sandbox/index.ts';

const store = 'store-0wh';
const sku = skuOf(1);
const name = 'Restored1';
const partner = { partnerClientId: 'sandbox-partner', partnerSecretKey: 'sandbox-partner-secret' };

const cleanup = new AsyncDisposableStack();
let options: ConnectorRunOptions;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'restore-'));
  cleanup.defer(() => rm(directory, { recursive: true }));
  const marketplace = await startSandbox({ port: 0 });
  cleanup.defer(() => marketplace.close());
  options = {
    marketplace: { baseUrl: marketplace.url, ...partner },
    dataDirectory: join(directory, 'data'),
    schedules: 'manual',
    stores: { [store]: `token-${store}` },
  };
});

afterAll(() => cleanup.disposeAsync());

const liveStock = async ({ controls }: ConnectorRun) =>
  (await controls?.products(store))?.products.find((product) => product.sku === sku)?.stock;

const putStock = ({ partner }: ConnectorRun, stock: number, occurredAt: number) =>
  partner.putEvents([
    { detailType: 'stock.changed', detail: { storeClientId: store, occurredAt, items: [{ sku, stock }] } },
  ]);

const becomes = (run: ConnectorRun, stock: number) =>
  until(`a live stock of ${stock}`, async () => (await liveStock(run)) === stock, { withinMs: 60_000 });

/** Copies the tables as they are, as a restore to this point in time does. */
async function restoreTables({ local }: ConnectorRun): Promise<void> {
  const { endpoint, region, adminCredentials: credentials } = local;
  const client = new DynamoDBClient({ endpoint, region, credentials });
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  for (const TableName of TableNames) {
    const id = /Tables(?<id>[A-Za-z]+)Table[0-9A-F]{8}$/.exec(TableName)?.groups?.id;
    if (id === undefined || id === 'Limits') continue;
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const GlobalSecondaryIndexes = Table?.GlobalSecondaryIndexes?.map((index) => ({
      IndexName: index.IndexName,
      KeySchema: index.KeySchema,
      Projection: index.Projection,
    }));
    const restored = `${name}-${id}`;
    await client.send(
      new CreateTableCommand({
        TableName: restored,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: Table?.AttributeDefinitions,
        KeySchema: Table?.KeySchema,
        ...(GlobalSecondaryIndexes && { GlobalSecondaryIndexes }),
      }),
    );
    await until(`the table ${restored}`, async () => {
      const { Table: created } = await client.send(new DescribeTableCommand({ TableName: restored }));
      return created?.TableStatus === 'ACTIVE';
    });
    const { Items = [] } = await client.send(new ScanCommand({ TableName }));
    for (const Item of Items)
      await client.send(
        new BatchWriteItemCommand({ RequestItems: { [restored]: [{ PutRequest: { Item } }] } }),
      );
  }
  client.destroy();
}

test('a restore sells nothing that is gone: nothing is sent or repaired from restored tables before its end', async () => {
  const at = Date.now();
  await using undeployed = new AsyncDisposableStack();
  const before = await startConnector(options);
  undeployed.use(before);
  await before.partner.putImportFile(
    `catalog/${store}/first.ndjson`,
    `${JSON.stringify(simpleProduct(1))}\n`,
  );
  await until('the product', async () => (await liveStock(before)) !== undefined, { withinMs: 60_000 });
  await putStock(before, 10, at + 1_000);
  await becomes(before, 10);
  // Until the lane is released: with a copied lease it would not send after the restore before that has expired.
  await before.local.idle();
  await restoreTables(before);
  await putStock(before, 0, at + 2_000);
  await becomes(before, 0);
  const ports = {
    aws: Number(new URL(before.local.endpoint).port),
    api: Number(new URL(before.local.apiUrl).port),
  };
  await undeployed.disposeAsync();

  const templatePath = await synthesize({
    outputDirectory: join(directory, 'restored', 'cdk.out'),
    settings: { restoredTables: name, verifierGraceSeconds: '1' },
  });
  await using run = await startConnector({
    ...options,
    ports,
    templatePath,
    isSecretUnset: true,
    stores: {},
  });
  await run.partner.putSecret({ partnerSecretKey: partner.partnerSecretKey });
  const call = async (method: string, path: string) => (await run.partner.callApi(method, path)).body;
  const sent = async () =>
    ((await run.controls?.requests())?.requests ?? []).filter(({ method }) => method !== 'GET').length;
  const sentBefore = await sent();
  const known = async () =>
    (await call('GET', `/stores/${store}/listings?target=${encodeURIComponent(`sku:${sku}`)}&refresh=true`))
      .registers.stock;

  // What is known is the old truth, and reading is allowed.
  expect(await known()).toMatchObject({ desired: { value: 10 }, live: { value: 0 } });
  expect((await call('GET', '/attention')).attention).toMatchObject([{ kind: 'tables-restored' }]);
  await run.local.triggerSchedule('ListingVerifier');
  await putStock(run, 7, at + 1_500);
  await until('the change is merged', async () => (await known()).desired.value === 7, {
    withinMs: 60_000,
  });
  // The run does not become idle: the store's ticket is redelivered until the restore ends.
  await run.local.triggerSchedule('LaneWaker');
  expect({ sent: await sent(), live: await liveStock(run) }).toEqual({ sent: sentBefore, live: 0 });

  // What came in since is sent again, with its own time.
  await putStock(run, 0, at + 2_000);
  await until('the newest value', async () => (await known()).desired.value === 0, { withinMs: 60_000 });
  expect(await call('POST', '/restore/end')).toEqual({ restoredTables: name });
  expect((await call('GET', '/attention')).attention).toEqual([]);
  await putStock(run, 3, at + 3_000);
  await run.local.triggerSchedule('LaneWaker');
  await becomes(run, 3);
  const history = (await run.controls?.products(store))?.products.find((product) => product.sku === sku);
  expect(history?.history.stock.map(({ stock }) => stock)).not.toContain(7);
});
