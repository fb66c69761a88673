import { hash } from 'node:crypto';
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { batchRecordSchema } from '../../../../shared/batches/model.ts';
import { processSummary } from '../../../../shared/batches/use-cases/process-summary.ts';
import { recordSubmission } from '../../../../shared/batches/use-cases/record-batch.ts';
import { noteRequest } from '../../../../shared/batches/use-cases/summaries-by-rows.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import { batchAnswer } from '../../../../shared/marketplace/batch.ts';
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
    return processSummary(ports, { body: text, receivedAt });
  };
  return { ports, published, receive };
}

const failedRow = { rowIndex: 1, code: 'VAL_001', message: 'no', details: { retryable: false } };

const NO_OBJECT = 'the body is no JSON object, or nests more than 100 levels deep';

describe('a received summary', () => {
  test('that was archived completes its batch, which names the archive key', async () => {
    const { ports } = setUp();
    await recordSubmission(ports, submission());
    const body = { batchId: 'b-1', summary: { total: 3, failed: 0, pending: 0 } };
    const archiveKey = await ports.archive.put(Buffer.from(JSON.stringify(body)), receivedAt);
    await processSummary(ports, { archiveKey, receivedAt });
    expect(await ports.batches.get('b-1')).toMatchObject({
      state: 'completed',
      finalSummary: { archiveKey },
    });
  });

  test('completes its batch with the failed rows, and announces that', async () => {
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
    });
    expect(published.map(({ detailType }) => detailType)).toEqual([
      'batch.submitted',
      'batch.completed',
      'rows.rejected',
    ]);
  });

  test('ends the batch of a lost answer if it names all its products, and not if it leaves one out', async () => {
    const { ports, receive } = setUp();
    const names = ['EE-1', 'ee-2'].map((externalId) => ({ externalId }));
    await noteRequest(ports.batches, { recordId: 'a-1', storeClientId: 's-1', rows: names });
    await recordSubmission(ports, submission({ batchId: 'a-1', requestId: undefined, names, sentRows: 2 }));
    const body = {
      storeClientId: 's-1',
      summary: { total: 2, failed: 1, pending: 0 },
      errors: [{ ...failedRow, externalId: 'EE-2' }],
    };
    await receive({ ...body, batchId: 'b-8' });
    expect(await ports.batches.get('a-1')).toMatchObject({ state: 'submitted' });
    await receive({ ...body, batchId: 'b-9', acceptedRows: [{ externalId: 'ee-1' }] });
    expect(await ports.batches.get('a-1')).toMatchObject({
      state: 'completed_with_errors',
      rejectedRows: [{ rowIndex: 1, code: 'VAL_001' }],
    });
  });

  test.each([
    ['is no JSON', '{"batchId"', NO_OBJECT],
    ['names neither batch nor request', { summary: { total: 1 } }, 'the summary names no batch'],
    ['nests 5,000 deep', `{"batchId":"b-1","more":${'['.repeat(5000)}${']'.repeat(5000)}}`, NO_OBJECT],
    ['is no object', [1], NO_OBJECT],
    ['is null', null, NO_OBJECT],
  ])(
    'that %s is archived and stored as a rejection that says so and names its archive key',
    async (_, body, message) => {
      const { ports, receive } = setUp();
      const rejection = await receive(body);
      const archived = 'origin' in rejection ? await ports.archive.get(rejection.origin ?? '') : '';
      expect(Buffer.from(archived).toString()).toBe(typeof body === 'string' ? body : JSON.stringify(body));
      expect(rejection).toMatchObject({
        storeClientId: '-',
        code: 'SUMMARY_INVALID',
        message,
        origin: expect.stringMatching(/^webhooks\//),
      });
      expect((await ports.rejections.list('-')).rejections).toHaveLength(1);
    },
  );

  test('that can not be read is stored once, however often it is delivered', async () => {
    const { ports, receive } = setUp();
    await receive('nonsense');
    await receive('nonsense');
    expect((await ports.rejections.list('-')).rejections).toHaveLength(1);
  });

  const long = 'x'.repeat(3000);
  test.each<[string, unknown, string]>([
    ['a number', 17, '17'],
    ['of 3,000 bytes', long, expect.stringMatching(/^sha256:[0-9a-f]{64}$/)],
    ['one that looks like a key of our own', 'request:r-1', expect.stringMatching(/^sha256:/)],
    ['empty', '', 'r-1'],
  ])('reaches the batch whose answer gave the same batchId, when that is %s', async (_, id, batchId) => {
    const { ports, receive } = setUp();
    const answer = batchAnswer.parse({ success: true, requestId: 'r-1', data: { batchId: id } });
    const record = await recordSubmission(
      ports,
      submission({ batchId: answer.batchId ?? answer.requestId ?? 'a-1' }),
    );
    expect(record).toMatchObject({ batchId });
    const named = id === '' ? { requestId: 'r-1' } : { batchId: id };
    await receive({ ...named, summary: { total: 3, failed: 0, pending: 0 } });
    expect(await ports.batches.get(record.batchId)).toMatchObject({ state: 'completed', finalSummary: {} });
  });

  test.each([
    ['counts failures and names none', { summary: { total: 3, failed: 2 }, errors: [] }],
    ['counts fewer accepted rows than there are', { summary: { total: 3, succeeded: 1 } }],
    ['counts nothing but pending rows', { summary: { pending: 3 } }],
    ['names a row beyond the request', { summary: { total: 3 }, errors: [{ ...failedRow, rowIndex: 3 }] }],
    ['has an error that is no object', { summary: { total: 3 }, errors: ['no'] }],
  ])('that %s leaves the rows that it does not name unknown', async (_, body) => {
    const { ports, receive } = setUp();
    await recordSubmission(ports, submission());
    await receive({ batchId: 'b-1', ...body, acceptedRows: [{ rowIndex: '0' }] });
    expect(await ports.batches.get('b-1')).toMatchObject({
      state: 'submitted',
      rows: { accepted: 1, rejected: 0, unknown: 2 },
    });
  });

  const twice = [{ rowIndex: 0 }, { rowIndex: 0 }, { rowIndex: 0 }];
  test.each<[string, object]>([
    ['names one row as accepted three times', { acceptedRows: twice }],
    [
      'names it by its number and by its names',
      { acceptedRows: [{ rowIndex: 0 }, { sku: 'A' }, { externalId: 'e' }] },
    ],
    ['lists accepted rows without names beside it', { acceptedRows: [{ rowIndex: 0 }, {}, 'B'] }],
    ['names it under each key', { acceptedRows: twice, successItems: twice, data: { acceptedRows: twice } }],
  ])('that %s, and counts nothing, accepts that row only', async (_, body) => {
    const { ports, receive } = setUp();
    await recordSubmission(ports, submission({ names: [{ sku: 'A', externalId: 'e' }, {}, {}] }));
    await receive({ batchId: 'b-1', ...body });
    const rows = { accepted: 1, rejected: 0, unknown: 2 };
    expect(await ports.batches.get('b-1')).toMatchObject({ state: 'submitted', rows });
  });

  test('whose row has a name that is no text settles the row by its number', async () => {
    const { ports, receive } = setUp();
    const acceptedRows = [0, 1, 2].map((rowIndex) => ({ rowIndex, orderId: 17 }));
    await receive({ batchId: 'b-1', acceptedRows: [...acceptedRows, { orderId: 17 }] });
    expect(batchRecordSchema.parse(await ports.batches.get('b-1'))).toMatchObject({ rows: { sent: 4 } });
    expect(await recordSubmission(ports, submission())).toMatchObject({ state: 'completed' });
  });

  test('with more rows than a record can hold is stored without the last ones', async () => {
    const { ports, receive } = setUp();
    const acceptedRows = Array.from({ length: 20_000 }, (_, row) => ({ sku: hash('sha256', `${row}`) }));
    await receive({ batchId: 'b-1', summary: { total: 20_000, failed: 0, pending: 0 }, acceptedRows });
    const batch = await ports.batches.get('b-1');
    expect(batch).toMatchObject({ state: 'unmatched', rows: { accepted: 20_000 } });
    expect(brotliCompressSync(JSON.stringify(batch)).byteLength).toBeLessThan(400_000);
  });

  test('rejects a row whose number is written as text', async () => {
    const { ports, receive } = setUp();
    await recordSubmission(ports, submission());
    const errors = [{ ...failedRow, rowIndex: '0' }];
    await receive({ batchId: 'b-1', summary: { total: 3, failed: 1 }, errors });
    expect(await ports.batches.get('b-1')).toMatchObject({
      state: 'completed_with_errors',
      rejectedRows: [{ rowIndex: 0 }],
    });
  });
});
