import { describe, expect, test } from 'vitest';
import { processSummary } from '../../../../shared/batches/use-cases/process-summary.ts';
import { recordSubmission } from '../../../../shared/batches/use-cases/record-submission.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { inMemorySummaryArchive } from '../../../doubles/in-memory-summary-archive.ts';
import { submission } from '../batch-facts.ts';

const receivedAt = '2026-11-21T08:01:00.000Z';

function setUp() {
  const published: OutgoingEvent[] = [];
  const ports = {
    batches: inMemoryBatchTable(),
    rejections: inMemoryRejectionTable(),
    archive: inMemorySummaryArchive(),
    events: inMemoryEventPublisher(undefined, published),
  };
  const receive = async (body: unknown) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const archiveKey = await ports.archive.put(Buffer.from(text), receivedAt);
    return processSummary(ports, { archiveKey, receivedAt });
  };
  return { ports, published, receive };
}

const failedRow = { rowIndex: 1, code: 'VAL_001', message: 'no', details: { retryable: false } };

describe('a received summary', () => {
  test('completes its batch with the rows that failed, and says so', async () => {
    const { ports, published, receive } = setUp();
    await recordSubmission(ports, submission());
    await receive({
      batchId: 'b-1',
      requestId: 'r-1',
      summary: { total: 3, failed: 1, pending: 0 },
      errors: [failedRow],
    });
    expect(await ports.batches.get('b-1')).toMatchObject({
      state: 'completed_with_errors',
      completedAt: receivedAt,
      rejectedRows: [failedRow],
      finalSummary: { archiveKey: expect.stringMatching(/^webhooks\/2026-11-21\//) },
    });
    expect(published.map(({ detailType }) => detailType)).toEqual([
      'batch.submitted',
      'batch.completed',
      'rows.rejected',
    ]);
  });

  test.each([
    ['is no JSON', '{"batchId"'],
    ['names neither batch nor request', { summary: { total: 1 } }],
    ['nests 5,000 deep', `{"batchId":"b-1","more":${'['.repeat(5000)}${']'.repeat(5000)}}`],
    ['is no object', [1]],
    ['is null', null],
  ])('that %s is kept as a rejection that says where it lies', async (_, body) => {
    const { ports, receive } = setUp();
    const rejection = await receive(body);
    expect(rejection).toMatchObject({
      storeClientId: '-',
      code: 'SUMMARY_INVALID',
      origin: expect.stringMatching(/^webhooks\//),
    });
    expect((await ports.rejections.list('-')).rejections).toHaveLength(1);
  });

  test('that nobody can read is kept once, however often it is delivered', async () => {
    const { ports, receive } = setUp();
    await receive('nonsense');
    await receive('nonsense');
    expect((await ports.rejections.list('-')).rejections).toHaveLength(1);
  });
});
