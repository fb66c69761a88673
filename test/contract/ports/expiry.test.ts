import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { createBatchTable } from '../../../shared/aws/batch-table.ts';
import { createRejectionTable } from '../../../shared/aws/rejection-table.ts';
import { createLockTable, createRequestTable } from '../../../shared/aws/request-table.ts';
import { createSessionTable } from '../../../shared/aws/session-table.ts';
import { batchFrom } from '../../../shared/batches/rules/batch-record.ts';
import { resolution, submission } from '../../unit/batches/batch-facts.ts';
import { type LocalTables, useLocalTables } from './local-tables.ts';
import { freshId } from './support.ts';

const local = useLocalTables();

const since = '2026-11-01T08:00:00.000Z';
const sinceMs = Date.parse(since);
const id = freshId('record');
const DAY_SECONDS = 24 * 60 * 60;

/** A record that DynamoDB deletes when it expires. */
interface Kept {
  readonly table: string;
  readonly key: { readonly [name: string]: string };
  readonly write: (tables: LocalTables, tableName: string) => Promise<unknown>;
}

const lock: Kept = {
  table: 'Requests',
  key: { recordId: `lock#${id}` },
  write: ({ client }, name) => createLockTable(client, name, 90).update(id, () => ({ updatedAt: since })),
};

const request: Kept = {
  table: 'Requests',
  key: { recordId: id },
  write: ({ client }, name) =>
    createRequestTable(client, name, 90).update(id, () => ({
      recordId: id,
      storeClientId: 's',
      kind: 'invoice',
      commands: [{ commandId: 'c', eventId: 'e', detailType: 'd', time: sinceMs, recordIds: [id] }],
      rows: [{ command: 0, index: 0 }],
      requestKey: 'key',
      state: 'prepared',
      tries: 0,
      uncertain: false,
      createdAt: since,
      touchedAt: '2026-12-01T08:00:00.000Z',
    })),
};

const unmatched: Kept = {
  table: 'Batches',
  key: { batchId: id },
  write: ({ client }, name) =>
    createBatchTable(client, name, 90, 7).update(id, () =>
      batchFrom(id, {
        finalSummary: {
          receivedAt: since,
          summary: { total: 1, failed: 0, pending: 0 },
          rejectedRows: [],
        },
      }),
    ),
};

/** It was unresolved for longer than batches are kept. */
const resolvedLate: Kept = {
  table: 'Batches',
  key: { batchId: `late-${id}` },
  write: ({ client }, name) =>
    createBatchTable(client, name, 90, 7).update(`late-${id}`, () =>
      batchFrom(
        `late-${id}`,
        {
          submission: submission({ submittedAt: since }),
          resolution: resolution({ resolvedAt: '2027-03-01T08:00:00.000Z' }),
        },
        { announced: ['batch.submitted', 'batch.completed'] },
      ),
    ),
};

const plan: Kept = {
  table: 'Requests',
  key: { recordId: `plan#${id}` },
  write: ({ client }, name) =>
    createRequestTable(client, name, 90).putPlan(id, { recordIds: [], rejected: 0, plannedAt: since }),
};

const session: Kept = {
  table: 'Sessions',
  key: { nonce: id },
  write: ({ client }, name) =>
    createSessionTable(client, name).update(id, () => ({
      nonce: id,
      sid: 's',
      validUntil: sinceMs,
      state: 'open',
    })),
};

test.each<[string, Kept, string]>([
  ['a request is kept for 90 days from its creation', request, '2027-01-30'],
  ['a final summary without a batch is kept for 7 days', unmatched, '2026-11-08'],
  ['a batch that was unresolved for long is kept for 90 days from its end', resolvedLate, '2027-05-30'],
  ['the plan of a command is kept for 90 days', plan, '2027-01-30'],
  ['a lock is kept for 90 days', lock, '2027-01-30'],
  ['an onboarding session is kept for a day after it ends', session, '2026-11-02'],
])('%s', async (_, { table, key, write }, lastDay) => {
  const tables = local();
  const TableName = tables.tableName(table);
  await write(tables, TableName);
  const { Item } = await tables.client.send(new GetCommand({ TableName, Key: key }));
  expect(Item?.expiresAt).toBe(Date.parse(`${lastDay}T08:00:00.000Z`) / 1000);
});

test('a final summary without a batch is not listed any more once it has expired', async () => {
  const { client, tableName } = local();
  const batches = createBatchTable(client, tableName('Batches'), 90, 7);
  const summaryId = freshId('old-summary');
  const receivedAt = '2001-01-01T00:00:00.000Z';
  const finalSummary = { receivedAt, summary: { total: 1, failed: 0, pending: 0 }, rejectedRows: [] };
  await batches.update(summaryId, () => batchFrom(summaryId, { finalSummary }));
  const { batches: listed } = await batches.list({ state: 'unmatched' });
  expect(listed.map(({ batchId }) => batchId)).not.toContain(summaryId);
});

test('a rejection is kept for as many days as are set, however old its command is', async () => {
  const { client, tableName } = local();
  const TableName = tableName('Rejections');
  const key = { storeClientId: id, rejectionId: 'r' };
  const facts = { rejectedAt: '2001-01-01T00:00:00.000Z', code: 'ROW_INVALID', message: 'no' };
  const before = Math.floor(Date.now() / 1000);
  await createRejectionTable(client, TableName, 60).putAll([{ ...key, ...facts }]);
  const { Item } = await client.send(new GetCommand({ TableName, Key: key }));
  expect(Item?.expiresAt - before - 60 * DAY_SECONDS).toBeLessThan(DAY_SECONDS);
  expect(Item?.expiresAt).toBeGreaterThanOrEqual(before + 60 * DAY_SECONDS);
});
