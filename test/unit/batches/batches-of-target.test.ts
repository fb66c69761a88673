import { expect, test } from 'vitest';
import { batchesOfTarget } from '../../../shared/batches/use-cases/batches-of-target.ts';
import { recordSubmission } from '../../../shared/batches/use-cases/record-batch.ts';
import { inMemoryBatchTable } from '../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../doubles/in-memory-rejection-table.ts';
import { submission } from './batch-facts.ts';

test('the last batches of a product are those with its values that were sent last, and those that rejected it', async () => {
  const ports = {
    batches: inMemoryBatchTable(),
    events: inMemoryEventPublisher(),
    rejections: inMemoryRejectionTable(),
    listings: {
      get: async (storeClientId: string, target: string) => {
        const at = '2026-11-21T08:00:00.000Z';
        const sent = (batchId: string) => ({ value: 1, version: 1, at, batchId });
        const facts = {
          storeClientId,
          target,
          versionKind: 'time',
          desired: {},
          settled: {},
          failures: 0,
        } as const;
        if (storeClientId !== 's-1' || target !== 'sku:A') return undefined;
        return { ...facts, sent: { price: sent('price'), stock: sent('stock'), 'stock:w': sent('stock') } };
      },
    },
  };
  for (const [index, batchId] of ['price', 'stock', 'rejecting', 'other'].entries()) {
    const submittedAt = `2026-11-21T08:0${index}:00.000Z`;
    const kind = batchId === 'price' ? 'price' : 'stock';
    await recordSubmission(
      ports,
      submission({ batchId, attemptId: batchId, requestId: batchId, kind, submittedAt }),
    );
  }
  const rejection = {
    storeClientId: 's-2',
    rejectedAt: '2026-11-21',
    code: 'INV_001',
    message: 'no',
    sku: 'A',
  };
  await ports.rejections.putAll([
    { ...rejection, rejectionId: '2026-11-21#1', batchId: 'rejecting' },
    { ...rejection, rejectionId: '2026-11-21#2', batchId: 'gone' },
    { ...rejection, rejectionId: '2026-11-21#3' },
  ]);
  const read = async (stores: string[], query = {}) =>
    (await batchesOfTarget(ports, stores, 'sku:A', query)).map(({ batchId }) => batchId);
  expect(await read(['s-1', 's-2'])).toEqual(['rejecting', 'stock', 'price']);
  expect(await read(['s-1'])).toEqual(['stock', 'price']);
  expect(await read(['s-1'], { kind: 'price' })).toEqual(['price']);
  expect(await read(['s-1'], { since: '2026-11-21T08:01:00.000Z' })).toEqual(['stock']);
});
