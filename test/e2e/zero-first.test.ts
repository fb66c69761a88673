import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { type Attempt, attemptSchema } from '../../shared/attempts/model.ts';
import { forEachConcurrently } from '../../shared/collections/for-each-concurrently.ts';
import { chunk } from '../../shared/collections/packer.ts';
import { mergeChange } from '../../shared/listings/rules/merge-change.ts';
import { waitingKey } from '../../shared/listings/rules/waiting.ts';
import { skuOf } from '../run/catalog.ts';
import { type ConnectorRun, startConnector } from '../run/connector-run.ts';
import { until } from '../run/until.ts';

const STORE = 'store-0wh';
const ROWS = 20_000;
const ITEMS_PER_WRITE = 25;
const TEN_REQUESTS = 10;

const stockChange = (version: number, items: readonly object[]) =>
  JSON.stringify({ 'detail-type': 'stock.changed', detail: { storeClientId: STORE, version, items } });

/** A client of the run's tables, as an operator of the stack has one. */
function tablesOf({ local }: ConnectorRun): DynamoDBDocumentClient {
  const { endpoint, region, adminCredentials: credentials } = local;
  return DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }), {
    marshallOptions: { removeUndefinedValues: true },
  });
}

/** Puts the waiting rows where intake would have, and then has the lane look. */
async function fillLane(run: ConnectorRun, tables: DynamoDBDocumentClient): Promise<void> {
  await run.partner.sendChanges([stockChange(1, [{ sku: 'FIRST', stock: 1 }])]);
  await run.local.idle({ timeoutMs: 60_000 });
  const now = Date.now();
  const items = Array.from({ length: ROWS }, (_, index) => waitingItem(skuOf(index + 1), now));
  await forEachConcurrently(chunk(items, ITEMS_PER_WRITE), 4, async (part) => {
    const RequestItems = {
      [run.local.outputs.ListingsTableName ?? '']: part.map((Item) => ({ PutRequest: { Item } })),
    };
    await tables.send(new BatchWriteCommand({ RequestItems }));
  });
  await run.local.triggerSchedule('LaneWaker');
}

function waitingItem(sku: string, now: number) {
  const change = { storeClientId: STORE, target: `sku:${sku}`, version: 1, values: { stock: 7 } };
  const merge = mergeChange(undefined, { ...change, versionKind: 'integer' }, now);
  if (merge.result !== 'changed') throw new Error(`${sku} was not merged`);
  return { ...merge.listing, waiting: waitingKey(merge.listing), revision: 1 };
}

/** Every attempt of the store that was not withdrawn, in the order of signing. */
async function attemptsOf(tables: DynamoDBDocumentClient): Promise<Attempt[]> {
  const { TableNames = [] } = await tables.send(new ListTablesCommand({}));
  const TableName = TableNames.find((name) => name.includes('Attempts'));
  const attempts: Attempt[] = [];
  let after: Record<string, unknown> | undefined;
  do {
    const page = await tables.send(
      new ScanCommand({ TableName, ConsistentRead: true, ...(after && { ExclusiveStartKey: after }) }),
    );
    attempts.push(...(page.Items ?? []).map((item) => attemptSchema.parse(item)));
    after = page.LastEvaluatedKey;
  } while (after !== undefined);
  return attempts.filter(({ state }) => state !== 'withdrawn').sort((a, b) => a.signedAt - b.signedAt);
}

test('with 20,000 rows waiting, a change to 0 leaves in the first request signed after its intake', {
  timeout: 170_000,
}, async () => {
  await using run = await startConnector({
    stores: { [STORE]: `token-${STORE}` },
    schedules: 'manual',
  });
  const tables = tablesOf(run);
  await fillLane(run, tables);
  const sent = async () =>
    (await run.controls?.requests())?.requests.filter(({ items }) => items === 100) ?? [];
  await until('the lane to be under way', async () => (await sent()).length >= TEN_REQUESTS);

  // One of a new target, and one of a target that waits with a higher value.
  const zeros = [skuOf(ROWS + 1), skuOf(ROWS)];
  const sentAt = Date.now();
  await run.partner.sendChanges([
    stockChange(
      2,
      zeros.map((sku) => ({ sku, stock: 0 })),
    ),
  ]);
  const listings = await until('their intake', async () => {
    const keys = zeros.map((sku) => ({ storeClientId: STORE, target: `sku:${sku}` }));
    const found = await Promise.all(keys.map((key) => run.partner.getItem('ListingsTableName', key)));
    return found.every((listing) => listing?.desired.stock.value === 0) && found;
  });
  const seenAt = Date.now();
  const skusOf = ({ rows }: Attempt) => rows.map(({ sku = '' }) => sku);
  const attempts = await until('the zeros to leave', async () => {
    const all = (await attemptsOf(tables)).filter((attempt) => attempt.signedAt >= sentAt);
    return zeros.every((zero) => all.some((attempt) => skusOf(attempt).includes(zero))) && all;
  });

  const ofZeros = attempts.filter((attempt) => skusOf(attempt).some((sku) => zeros.includes(sku)));
  const signedAt = ofZeros.at(-1)?.signedAt ?? Number.NaN;
  const othersSince = (from: number) =>
    attempts.filter(
      (attempt) => attempt.signedAt > from && attempt.signedAt < signedAt && !ofZeros.includes(attempt),
    );
  expect(othersSince(seenAt)).toEqual([]);
  // The intake of the new one was durable between the two: at most the request that was being signed then came before.
  expect(othersSince(listings[0]?.waitingSince).length).toBeLessThanOrEqual(1);
  expect((await run.controls?.requests())?.requests.length).toBeLessThan(ROWS / 100);
  tables.destroy();
});
