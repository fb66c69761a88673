import { expect, test } from 'vitest';
import { discardSummary } from '../../../../shared/batches/use-cases/operate-batch.ts';
import { recordSubmission, recordSummary } from '../../../../shared/batches/use-cases/record-batch.ts';
import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { finalSummary, rejected, submission } from '../batch-facts.ts';

const setUp = () => ({
  batches: inMemoryBatchTable(),
  events: inMemoryEventPublisher(),
  rejections: inMemoryRejectionTable(),
});
const failed = finalSummary({ summary: { total: 3, failed: 1, pending: 0 }, rejectedRows: [rejected(0)] });

test('a discarded summary is no longer listed, by state, by store or among all, also when it is redelivered', async () => {
  const ports = setUp();
  await recordSummary(ports, { batchId: 'b-1' }, failed);
  expect(await discardSummary(ports, 'b-1')).toMatchObject({ state: 'discarded' });
  expect(await recordSummary(ports, { batchId: 'b-1' }, failed)).toMatchObject({ state: 'discarded' });
  for (const query of [{ state: 'unmatched' as const }, { storeClientId: 's-1' }, {}])
    expect((await ports.batches.list(query)).batches).toEqual([]);
});

test('a summary that differs from a discarded one of its batch is listed, and so is what was discarded', async () => {
  const ports = setUp();
  const ids = { batchId: 'b-1' };
  await recordSummary(ports, ids, failed);
  await discardSummary(ports, 'b-1');
  const other = finalSummary({ summary: { total: 5, failed: 0, pending: 0 } });
  await recordSummary(ports, ids, other);
  expect((await ports.batches.list({ state: 'unmatched' })).batches).toMatchObject([
    { batchId: 'b-1', finalSummary: failed, contradictions: [{ summary: other.summary }] },
  ]);
  await discardSummary(ports, 'b-1');
  for (const summary of [failed, other])
    expect(await recordSummary(ports, ids, summary)).toMatchObject({ state: 'discarded' });
});

test.each([
  ['batch', { batchId: 'b-1' }],
  ['request', { requestId: 'r-1' }],
])('a batch that appears later is ended by the discarded summary with its %s', async (_, ids) => {
  const ports = setUp();
  const { batchId } = await recordSummary(ports, ids, failed);
  await discardSummary(ports, batchId);
  expect(await recordSubmission(ports, submission())).toMatchObject({
    state: 'completed_with_errors',
    rows: { accepted: 2, rejected: 1 },
  });
});

test('only a summary that matches no batch can be discarded, once', async () => {
  const ports = setUp();
  await recordSubmission(ports, submission());
  await recordSummary(ports, { batchId: 'b-2' }, failed);
  await discardSummary(ports, 'b-2');
  for (const batchId of ['b-1', 'b-3'])
    await expect(discardSummary(ports, batchId)).rejects.toMatchObject({ code: 'SUMMARY_UNKNOWN' });
});
