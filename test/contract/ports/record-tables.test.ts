import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../../shared/attempts/model.ts';
import type { AttemptTable } from '../../../shared/attempts/ports.ts';
import { createAttemptTable } from '../../../shared/aws/attempt-table.ts';
import { createRejectionTable } from '../../../shared/aws/rejection-table.ts';
import { ConnectorError } from '../../../shared/errors/connector-error.ts';
import type { Rejection, RejectionTable } from '../../../shared/rejections/model.ts';
import { inMemoryAttemptTable } from '../../doubles/in-memory-attempt-table.ts';
import { inMemoryRejectionTable } from '../../doubles/in-memory-rejection-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId, readAllPages } from './support.ts';

const local = useLocalTables();

describe.each<[string, () => AttemptTable]>([
  ['in memory', () => inMemoryAttemptTable()],
  ['on DynamoDB', () => createAttemptTable(local().client, local().tableName('Attempts'))],
])('AttemptTable %s', (_, create) => {
  const attemptOf = (attemptId: string): Attempt => ({
    attemptId,
    storeClientId: 'store-1',
    kind: 'stock',
    signedAt: Date.UTC(2026, 0, 1),
    state: 'sent',
    rows: [{ rowIndex: 0, sku: 'A' }],
  });

  test('put keeps an attempt, and a later one with its ID takes its place', async () => {
    const attempts = create();
    const attempt = attemptOf(freshId('attempt'));
    expect(await attempts.get(attempt.attemptId)).toBeUndefined();
    await attempts.put(attempt);
    expect(await attempts.get(attempt.attemptId)).toEqual(attempt);
    const again = { ...attempt, signedAt: attempt.signedAt + 5 };
    await attempts.put(again);
    expect(await attempts.get(attempt.attemptId)).toEqual(again);
  });

  test('note keeps what is known of its outcome, whatever it closes with', async () => {
    const attempts = create();
    const attempt = attemptOf(freshId('attempt'));
    const result = { answer: { requestId: 'r-1', skipped: [{ code: 'NO', rowIndex: 0 }] } };
    await attempts.put(attempt);
    await attempts.note(attempt.attemptId, result);
    expect(await attempts.get(attempt.attemptId)).toEqual({ ...attempt, result });
    await attempts.close(attempt.attemptId, 'answered');
    expect(await attempts.get(attempt.attemptId)).toEqual({ ...attempt, result, state: 'answered' });
  });

  test('close notes how it ended and which batch it began', async () => {
    const attempts = create();
    const attempt = attemptOf(freshId('attempt'));
    await attempts.put(attempt);
    await attempts.close(attempt.attemptId, 'unknown');
    expect(await attempts.get(attempt.attemptId)).toEqual({ ...attempt, state: 'unknown' });
    await attempts.close(attempt.attemptId, 'answered', 'batch-1');
    expect(await attempts.get(attempt.attemptId)).toEqual({
      ...attempt,
      state: 'answered',
      batchId: 'batch-1',
    });
  });

  test('what was never put is not there once it was closed', async () => {
    const attempts = create();
    const attemptId = freshId('attempt');
    await attempts.close(attemptId, 'refused');
    await attempts.close(attemptId, 'answered', 'batch-1');
    expect(await attempts.get(attemptId)).toBeUndefined();
  });

  test('nothing is noted of what was never put', async () => {
    const attempts = create();
    const attemptId = freshId('attempt');
    await expect(attempts.note(attemptId, {})).rejects.toEqual(
      new ConnectorError(`there is no attempt ${attemptId}`, { code: 'ATTEMPT_UNKNOWN' }),
    );
    expect(await attempts.get(attemptId)).toBeUndefined();
  });
});

describe.each<[string, () => RejectionTable]>([
  ['in memory', () => inMemoryRejectionTable()],
  ['on DynamoDB', () => createRejectionTable(local().client, local().tableName('Rejections'))],
])('RejectionTable %s', (_, create) => {
  const rejectionOf = (storeClientId: string, rejectionId: string): Rejection => ({
    storeClientId,
    rejectionId,
    rejectedAt: '2026-01-01T00:00:00.000Z',
    code: 'ROW_INVALID',
    message: 'stock: must be at least 0',
    rowIndex: 0,
  });
  const listAll = (rejections: RejectionTable, store: string) =>
    readAllPages(async (page) => {
      const { rejections: entries, ...rest } = await rejections.list(store, page);
      return { entries, ...rest };
    });

  test('putAll keeps more rejections than one batch write takes', async () => {
    const rejections = create();
    const store = freshId('store');
    const ids = Array.from({ length: 30 }, (__, index) => `event#${String(index).padStart(2, '0')}`);
    await rejections.putAll(ids.map((id) => rejectionOf(store, id)));
    const kept = await listAll(rejections, store);
    expect(kept.map(({ rejectionId }) => rejectionId)).toEqual(ids);
    expect(kept[0]).toEqual(rejectionOf(store, 'event#00'));
  });

  test('the same rejection again adds no second record, not even within one call', async () => {
    const rejections = create();
    const store = freshId('store');
    await rejections.putAll([rejectionOf(store, 'event#0'), rejectionOf(store, 'event#0')]);
    await rejections.putAll([rejectionOf(store, 'event#0')]);
    expect(await listAll(rejections, store)).toEqual([rejectionOf(store, 'event#0')]);
  });

  test("another store's rejections are not listed", async () => {
    const rejections = create();
    await rejections.putAll([rejectionOf(freshId('store'), 'event#0')]);
    expect(await listAll(rejections, freshId('store'))).toEqual([]);
  });
});
