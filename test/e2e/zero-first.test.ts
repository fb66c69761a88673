import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { skuOf } from '../../local/run/catalog.ts';
import { type ConnectorRun, startConnector } from '../../local/run/connector-run.ts';
import { until } from '../../local/run/until.ts';
import { forEachConcurrently } from '../../shared/collections/for-each-concurrently.ts';
import { chunk } from '../../shared/collections/packer.ts';
import { mergeChange } from '../../shared/listings/rules/merge-change.ts';
import { waitingKey } from '../../shared/listings/rules/waiting.ts';

const STORE = 'store-0wh';
const ROWS = 20_000;
const ITEMS_PER_WRITE = 25;
const PER_PAGE = 100;
const TEN_REQUESTS = 10;
/** The default rate: on a busy machine, requests in preparation when a zero arrives may be sent before it. */
const REQUESTS_PER_SECOND = 5;
const WITHIN = { withinMs: 120_000 };

const stockChange = (version: number, items: readonly object[]) =>
  JSON.stringify({ 'detail-type': 'stock.changed', detail: { storeClientId: STORE, version, items } });

/** A client of the run's tables with an operator's credentials. */
function tablesOf({ local }: ConnectorRun): DynamoDBDocumentClient {
  const { endpoint, region, adminCredentials: credentials } = local;
  return DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }), {
    marshallOptions: { removeUndefinedValues: true },
  });
}

/** Writes the waiting rows as intake does, then wakes the lane. */
async function fillLane(run: ConnectorRun, tables: DynamoDBDocumentClient): Promise<void> {
  await run.partner.sendChanges([stockChange(1, [{ sku: 'FIRST', stock: 1 }])]);
  await run.local.idle({ timeoutMs: 60_000 });
  const now = Date.now();
  const items = Array.from({ length: ROWS }, (_, index) => waitingItem(skuOf(index + 1), now, index));
  const pages = Map.groupBy(items, ({ page }) => page);
  const put = [...pages].map(([page, listings]) => {
    const targets = listings.map(({ target }) => target);
    return { storeClientId: STORE, page, targets, since: now, putAt: now };
  });
  await putItems(tables, await tableNamed(tables, 'Waiting'), put);
  await putItems(tables, run.local.outputs.ListingsTableName ?? '', items);
  await run.local.triggerSchedule('LaneWaker');
}

async function tableNamed(tables: DynamoDBDocumentClient, part: string): Promise<string> {
  const { TableNames = [] } = await tables.send(new ListTablesCommand({}));
  return TableNames.find((name) => name.includes(part)) ?? '';
}

async function putItems(
  tables: DynamoDBDocumentClient,
  tableName: string,
  items: readonly object[],
): Promise<void> {
  await forEachConcurrently(chunk(items, ITEMS_PER_WRITE), 4, async (part) => {
    const RequestItems = { [tableName]: part.map((Item) => ({ PutRequest: { Item } })) };
    await tables.send(new BatchWriteCommand({ RequestItems }));
  });
}

function waitingItem(sku: string, now: number, index: number) {
  const change = { storeClientId: STORE, target: `sku:${sku}`, version: 1, values: { stock: 7 } };
  const merge = mergeChange(undefined, { ...change, versionKind: 'integer' }, now);
  if (merge.result !== 'changed') throw new Error(`${sku} was not merged`);
  const page = `${waitingKey(merge.listing)}#${Math.floor(index / PER_PAGE)}`;
  return { ...merge.listing, page, revision: 1 };
}

/** The time of the last request with each row of the store (epoch ms of its signature), by SKU. */
async function sentRows(run: ConnectorRun, tables: DynamoDBDocumentClient): Promise<Map<string, number>> {
  const TableName = run.local.outputs.ListingsTableName;
  const sent = new Map<string, number>();
  let after: Record<string, unknown> | undefined;
  do {
    const page = await tables.send(
      new ScanCommand({ TableName, ConsistentRead: true, ...(after && { ExclusiveStartKey: after }) }),
    );
    for (const { target, sent: registers } of page.Items ?? []) {
      if (registers?.stock !== undefined)
        sent.set(target.slice('sku:'.length), Date.parse(registers.stock.at));
    }
    after = page.LastEvaluatedKey;
  } while (after !== undefined);
  return sent;
}

test('a change to 0, with 20,000 rows waiting, waits for at most one second’s worth of requests', {
  timeout: 400_000,
}, async () => {
  await using run = await startConnector({
    stores: { [STORE]: `token-${STORE}` },
    schedules: 'manual',
  });
  const tables = tablesOf(run);
  await fillLane(run, tables);
  const sent = async () =>
    (await run.controls?.requests())?.requests.filter(({ items }) => items === 100) ?? [];
  await until('the lane to be under way', async () => (await sent()).length >= TEN_REQUESTS, WITHIN);

  // One zero for a new target, and one for a target that waits with a higher value.
  const zeros = [skuOf(ROWS + 1), skuOf(ROWS)];
  const sentAt = Date.now();
  await run.partner.sendChanges([
    stockChange(
      2,
      zeros.map((sku) => ({ sku, stock: 0 })),
    ),
  ]);
  const listingsOfZeros = () =>
    Promise.all(
      zeros.map((sku) =>
        run.partner.getItem('ListingsTableName', { storeClientId: STORE, target: `sku:${sku}` }),
      ),
    );
  await until(
    'their intake',
    async () => (await listingsOfZeros()).every((listing) => listing?.desired.stock.value === 0),
    WITHIN,
  );
  const seenAt = Date.now();
  await until(
    'the zeros to be sent',
    async () => (await listingsOfZeros()).every((listing) => Date.parse(listing?.sent.stock?.at) >= sentAt),
    WITHIN,
  );
  const rows = await sentRows(run, tables);
  const ofZeros = new Set(zeros.map((zero) => rows.get(zero) ?? Number.NaN));
  const signedAt = Math.max(...ofZeros);
  const between = [...new Set(rows.values())].filter(
    (at) => at > seenAt && at < signedAt && !ofZeros.has(at),
  );
  expect(between.length).toBeLessThanOrEqual(REQUESTS_PER_SECOND);
  expect((await run.controls?.requests())?.requests.length).toBeLessThan(ROWS / 100);
  tables.destroy();
});
