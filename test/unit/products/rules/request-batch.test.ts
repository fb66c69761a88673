import { expect, test } from 'vitest';
import { finalSummary } from '../../../../shared/marketplace/webhooks/final-summary.ts';
import { unknownBatchOf } from '../../../../shared/products/rules/request-batch.ts';
import type { RequestRecord } from '../../../../shared/requests/model.ts';

const record: RequestRecord = {
  recordId: 'r-1',
  storeClientId: 's-1',
  kind: 'catalog-sync',
  commands: [
    {
      commandId: 'c-1',
      eventId: 'e-1',
      detailType: 'catalog.sync.requested',
      time: 1,
      recordIds: ['r-1'],
    },
  ],
  rows: [{ command: 0, index: 0, sku: 'A' }],
  requestKey: 'key',
  state: 'unknown',
  tries: 1,
  attempts: [{ at: '2026-11-01T08:00:00.000Z' }],
  uncertain: true,
  createdAt: '2026-11-01T08:00:00.000Z',
  touchedAt: '2026-11-01T08:00:00.000Z',
};

test('the requestId of a lost try is written as a summary with it is read', () => {
  const given = ['r-1', 'r/2', 'request:3'];
  const attempts = given.map((requestId) => ({
    at: '2026-11-01T08:00:00.000Z',
    outcome: 'unknown' as const,
    requestId,
  }));
  const { triedRequestIds } = unknownBatchOf({ ...record, attempts }, 30_000);
  const read = given.map((requestId) => finalSummary.parse({ requestId }).requestId);
  expect(triedRequestIds).toEqual(read);
  expect(read[0]).toBe('r-1');
});

test('what a summary says of the only try of a request, no other try can have caused', () => {
  expect(unknownBatchOf(record, 30_000)).not.toHaveProperty('uncertain');
  const unsentHalf = { ...record, attempts: undefined };
  expect(unknownBatchOf(unsentHalf, 30_000)).toMatchObject({ uncertain: true });
  expect(unknownBatchOf({ ...record, tries: 2 }, 30_000)).toMatchObject({ uncertain: true });
});
