import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { withResolution } from '../../../../shared/batches/rules/apply-fact.ts';
import { announceBatch } from '../../../../shared/batches/use-cases/announce-batch.ts';
import { recordSubmission, recordSummary } from '../../../../shared/batches/use-cases/record-batch.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import type { Step } from '../../../doubles/step.ts';
import { finalSummary, refusedForNow, rejected, resolution, submission } from '../batch-facts.ts';

function setUp(step?: Step) {
  const published: OutgoingEvent[] = [];
  const ports = {
    batches: inMemoryBatchTable(step),
    events: inMemoryEventPublisher(undefined, published),
    rejections: inMemoryRejectionTable(),
  };
  const submit = async (facts = {}) => recordSubmission(ports, submission(facts));
  return { ports, published, submit };
}

const names = (published: OutgoingEvent[]) => published.map(({ detailType }) => detailType);

describe('a final summary for a batch that is stored under its requestId', () => {
  const ids = { batchId: 'b-1', requestId: 'r-1' };
  /** A batch whose answer gave only the requestId. */
  const byRequest = { batchId: 'r-1' };

  test('completes the batch', async () => {
    const { ports, submit } = setUp();
    await submit(byRequest);
    await recordSummary(ports, ids, finalSummary());
    expect(await ports.batches.get('r-1')).toMatchObject({ state: 'completed' });
  });

  test('completes the batch also when it arrives first', async () => {
    const { ports, submit } = setUp();
    await recordSummary(ports, ids, finalSummary());
    expect(await submit(byRequest)).toMatchObject({ batchId: 'r-1', state: 'completed' });
    expect((await ports.batches.list({ state: 'unmatched' })).batches).toEqual([]);
  });

  test('reaches the batch by the batchId of an earlier one that named both', async () => {
    const { ports, submit, published } = setUp();
    await recordSummary(ports, ids, finalSummary());
    await submit(byRequest);
    await recordSummary(ports, { batchId: 'b-1' }, finalSummary());
    const other = finalSummary({ summary: { total: 3, failed: 3, pending: 0 } });
    await recordSummary(ports, { batchId: 'b-1' }, other);
    expect((await ports.batches.list({ state: 'unmatched' })).batches).toEqual([]);
    expect(await ports.batches.get('b-1')).toMatchObject({ state: 'matched', matchedTo: 'r-1' });
    expect(names(published)).toEqual(['batch.submitted', 'batch.completed', 'summary.contradicted']);
  });

  test('reaches the batch by the batchId of one that named both after the batch had ended', async () => {
    const { ports, submit, published } = setUp();
    await submit(byRequest);
    await recordSummary(ports, { requestId: 'r-1' }, finalSummary());
    await recordSummary(ports, ids, finalSummary());
    const other = finalSummary({ summary: { total: 3, failed: 3, pending: 0 } });
    await recordSummary(ports, { batchId: 'b-1' }, other);
    expect((await ports.batches.list({ state: 'unmatched' })).batches).toEqual([]);
    expect(names(published)).toEqual(['batch.submitted', 'batch.completed', 'summary.contradicted']);
  });

  test('leaves the batchId to a batch of another request that has it, too', async () => {
    const { ports, submit } = setUp();
    await submit(byRequest);
    await recordSummary(ports, ids, finalSummary());
    await submit({ requestId: 'r-2', attemptId: 'a-2' });
    await recordSummary(ports, { batchId: 'b-1', requestId: 'r-2' }, finalSummary());
    expect(await ports.batches.get('b-1')).toMatchObject({ state: 'completed', requestId: 'r-2' });
  });
});

describe('a final summary with a requestId only', () => {
  test('finds the batch of that request', async () => {
    const { ports, submit } = setUp();
    await submit();
    await recordSummary(ports, { requestId: 'r-1' }, finalSummary());
    expect(await ports.batches.get('b-1')).toMatchObject({ state: 'completed' });
    expect(await ports.batches.get('r-1')).toMatchObject({ state: 'matched', matchedTo: 'b-1' });
    const { batches: listed } = await ports.batches.list({});
    expect(listed.map(({ batchId }) => batchId)).toEqual(['b-1']);
  });

  test('finds the batch whose answer had no requestId, once another summary has named both', async () => {
    const { ports, submit, published } = setUp();
    await submit({ requestId: undefined });
    await recordSummary(ports, { batchId: 'b-1', requestId: 'r-1' }, finalSummary());
    const other = finalSummary({ summary: { total: 3, failed: 3, pending: 0 } });
    await recordSummary(ports, { requestId: 'r-1' }, other);
    expect((await ports.batches.list({ state: 'unmatched' })).batches).toEqual([]);
    expect(names(published)).toEqual(['batch.submitted', 'batch.completed', 'summary.contradicted']);
  });

  test('is stored as unmatched until the batch appears', async () => {
    const { ports, submit, published } = setUp();
    await recordSummary(ports, { requestId: 'r-1' }, finalSummary());
    expect((await ports.batches.list({ state: 'unmatched' })).batches).toHaveLength(1);
    expect(published).toEqual([]);
    expect(await submit()).toMatchObject({ batchId: 'b-1', state: 'completed' });
    expect(await ports.batches.get('r-1')).toMatchObject({ state: 'matched', matchedTo: 'b-1' });
    expect((await ports.batches.list({ state: 'unmatched' })).batches).toEqual([]);
    expect(names(published)).toEqual(['batch.submitted', 'batch.completed']);
  });

  test('is matched by a redelivered answer after any crash', async () => {
    const { ports, submit } = setUp();
    await recordSummary(ports, { requestId: 'r-1' }, finalSummary());
    const crash = new Error('killed');
    const batches = {
      ...ports.batches,
      update: async (id: string, change: Parameters<typeof ports.batches.update>[1]) => {
        if (id === 'r-1') throw crash;
        return ports.batches.update(id, change);
      },
    };
    await expect(recordSubmission({ ...ports, batches }, submission())).rejects.toBe(crash);
    expect((await ports.batches.list({ state: 'unmatched' })).batches).toHaveLength(1);
    await submit();
    expect((await ports.batches.list({ state: 'unmatched' })).batches).toEqual([]);
  });

  test('reaches the batch in any interleaving with the answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { ports, submit } = setUp(async (_, effect) =>
          scheduler.schedule(Promise.resolve()).then(effect),
        );
        const both = Promise.all([submit(), recordSummary(ports, { requestId: 'r-1' }, finalSummary())]);
        await scheduler.waitFor(both);
        const looks = Promise.all([ports.batches.get('b-1'), ports.batches.get('r-1')]);
        const [batch, leftOver] = await scheduler.waitFor(looks);
        expect(batch).toMatchObject({ state: 'completed', rows: { accepted: 3 } });
        expect(leftOver?.state).not.toBe('unmatched');
      }),
    );
  });
});

describe('a final summary with batchId and requestId', () => {
  test('completes the batch with its batchId', async () => {
    const { ports, submit } = setUp();
    await submit();
    await recordSummary(ports, { batchId: 'b-1', requestId: 'other' }, finalSummary());
    expect(await ports.batches.get('b-1')).toMatchObject({ state: 'completed' });
  });

  test('completes a batch whose answer gave only the requestId', async () => {
    const { ports, submit } = setUp();
    await submit({ batchId: 'r-1' });
    await recordSummary(ports, { batchId: 'b-1', requestId: 'r-1' }, finalSummary());
    expect(await ports.batches.get('r-1')).toMatchObject({ state: 'completed' });
    expect(await ports.batches.get('b-1')).toMatchObject({ state: 'matched', matchedTo: 'r-1' });
  });

  test('before the answer ends the batch at once', async () => {
    const { ports, submit, published } = setUp();
    await recordSummary(ports, { batchId: 'b-1', requestId: 'r-1' }, finalSummary());
    expect(await submit()).toMatchObject({ state: 'completed', submission: { attemptId: 'a-1' } });
    expect(names(published)).toEqual(['batch.submitted', 'batch.completed']);
  });

  test('is announced once when it is redelivered', async () => {
    const { ports, submit, published } = setUp();
    await submit();
    await recordSummary(ports, { batchId: 'b-1' }, finalSummary());
    await recordSummary(ports, { batchId: 'b-1' }, finalSummary());
    expect(names(published)).toEqual(['batch.submitted', 'batch.completed']);
  });
});

describe('one batchId that the marketplace gives to two requests', () => {
  const other = { attemptId: 'a-2', requestId: 'r-2' };

  test('belongs to the first one; the second batch is stored under its attempt ID and loses no row', async () => {
    const { submit, published } = setUp();
    await submit();
    expect(await submit(other)).toMatchObject({
      batchId: 'a-2',
      attemptId: 'a-2',
      rows: { sent: 3, unknown: 3 },
    });
    expect(await submit(other)).toMatchObject({ batchId: 'a-2' });
    expect(await submit()).toMatchObject({ batchId: 'b-1', attemptId: 'a-1' });
    expect(names(published)).toEqual(['batch.submitted', 'batch.submitted']);
  });

  test('gives each batch the summary with its requestId', async () => {
    const { ports, submit } = setUp();
    await submit();
    await submit(other);
    const failed = finalSummary({
      summary: { total: 3, failed: 1, pending: 0 },
      rejectedRows: [rejected(0)],
    });
    await recordSummary(ports, { batchId: 'b-1', requestId: 'r-2' }, failed);
    expect(await ports.batches.get('b-1')).toMatchObject({ state: 'submitted' });
    expect(await ports.batches.get('a-2')).toMatchObject({ state: 'completed_with_errors' });
    await recordSummary(ports, { batchId: 'b-1', requestId: 'r-1' }, finalSummary());
    expect(await ports.batches.get('b-1')).toMatchObject({ state: 'completed' });
  });
});

describe.each(['before', 'after'])('one batchId for batches of two stores', (when) => {
  test(`gives each batch its own summary, that of the second one ${when} its answer`, async () => {
    const { ports, submit, published } = setUp();
    const second = { attemptId: 'a-2', requestId: 'r-2', storeClientId: 's-2' };
    const failed = finalSummary({
      storeClientId: 's-2',
      requestId: 'r-2',
      summary: { total: 3, failed: 1, pending: 0 },
      rejectedRows: [rejected(0)],
    });
    await submit();
    if (when === 'after') await submit(second);
    await recordSummary(ports, { batchId: 'b-1', requestId: 'r-2' }, failed);
    if (when === 'before') await submit(second);
    await recordSummary(ports, { batchId: 'b-1', requestId: 'r-1' }, finalSummary());
    expect(await ports.batches.get('b-1')).toMatchObject({ state: 'completed', storeClientId: 's-1' });
    expect(await ports.batches.get('a-2')).toMatchObject({
      state: 'completed_with_errors',
      storeClientId: 's-2',
    });
    expect(names(published)).not.toContain('summary.contradicted');
  });
});

test('two batches with one requestId each get the summary with their batchId', async () => {
  const { ports, submit } = setUp();
  await submit();
  await submit({ batchId: 'b-2', attemptId: 'a-2' });
  const refusing = finalSummary({
    summary: { total: 3, failed: 1, pending: 0 },
    rejectedRows: [rejected(0)],
  });
  await recordSummary(ports, { batchId: 'b-1', requestId: 'r-1' }, refusing);
  expect(await ports.batches.get('b-1')).toMatchObject({ state: 'completed_with_errors' });
  await recordSummary(ports, { batchId: 'b-2', requestId: 'r-1' }, finalSummary());
  expect(await ports.batches.get('b-2')).toMatchObject({ state: 'completed' });
});

test('a summary that contradicts the end of its batch is reported once, however often it is delivered', async () => {
  const { ports, submit, published } = setUp();
  await submit();
  await recordSummary(ports, { batchId: 'b-1' }, finalSummary());
  const other = finalSummary({ summary: { total: 3, failed: 3, pending: 0 } });
  for (let time = 0; time < 3; time += 1) await recordSummary(ports, { batchId: 'b-1' }, other);
  expect(names(published)).toEqual(['batch.submitted', 'batch.completed', 'summary.contradicted']);
  expect(await ports.batches.get('b-1')).toMatchObject({ state: 'completed', rows: { accepted: 3 } });
});

test('a summary that contradicts another one is reported when both came before the answer', async () => {
  const { ports, submit, published } = setUp();
  await recordSummary(ports, { requestId: 'r-1' }, finalSummary());
  const other = finalSummary({ summary: { total: 3, failed: 1, pending: 0 }, rejectedRows: [rejected(1)] });
  await recordSummary(ports, { requestId: 'r-1' }, other);
  expect(await submit()).toMatchObject({
    state: 'completed',
    contradictions: [{ rejectedRows: [rejected(1)] }],
  });
  expect(names(published)).toEqual(['batch.submitted', 'batch.completed', 'summary.contradicted']);
});

describe('a final summary that names another store than the batch with its batchId', () => {
  const foreign = finalSummary({
    storeClientId: 's-2',
    summary: { total: 3, failed: 3, pending: 0 },
    rejectedRows: [rejected(0), rejected(1), rejected(2)],
  });

  test.each(['before', 'after'])(
    'does not end the batch when it comes %s the answer, and is reported',
    async (when) => {
      const { ports, submit, published } = setUp();
      if (when === 'after') await submit();
      await recordSummary(ports, { batchId: 'b-1' }, foreign);
      if (when === 'before') await submit();
      expect(await ports.batches.get('b-1')).toMatchObject({ state: 'submitted', rows: { unknown: 3 } });
      await recordSummary(ports, { batchId: 'b-1' }, finalSummary());
      await recordSummary(ports, { batchId: 'b-1' }, foreign);
      expect(await ports.batches.get('b-1')).toMatchObject({ state: 'completed', rows: { accepted: 3 } });
      expect(names(published)).toEqual(['batch.submitted', 'batch.completed', 'summary.contradicted']);
      expect(published[2]?.detail).toMatchObject({ storeClientId: 's-1', said: { storeClientId: 's-2' } });
    },
  );

  test('is kept next to an equal one of the own store that came before the answer', async () => {
    const { ports, submit, published } = setUp();
    await recordSummary(ports, { batchId: 'b-1' }, { ...foreign, storeClientId: 's-1' });
    await recordSummary(ports, { batchId: 'b-1' }, foreign);
    expect(await submit()).toMatchObject({ state: 'failed', contradictions: [{ storeClientId: 's-2' }] });
    expect(names(published).at(-1)).toBe('summary.contradicted');
  });

  test('does not replace one of the own store that came before the answer and settles fewer rows', async () => {
    const { ports, submit } = setUp();
    const own = finalSummary({ summary: { total: 3, failed: 1, pending: 2 }, rejectedRows: [rejected(0)] });
    await recordSummary(ports, { batchId: 'b-1' }, own);
    await recordSummary(ports, { batchId: 'b-1' }, foreign);
    expect(await submit()).toMatchObject({
      rows: { accepted: 0, rejected: 1, unknown: 2 },
      finalSummary: { storeClientId: 's-1' },
      contradictions: [{ storeClientId: 's-2' }],
    });
  });
});

describe('the rejections of a batch', () => {
  const named = { names: [{ sku: 'A' }, { sku: 'B' }, { sku: 'C' }] };

  test('have each row that the marketplace rejected, with its product, batch and command', async () => {
    const { ports, submit } = setUp();
    await submit(named);
    const summary = { total: 3, failed: 1, pending: 0 };
    await recordSummary(
      ports,
      { batchId: 'b-1' },
      finalSummary({ summary, rejectedRows: [rejected(1, 'PRD_016')] }),
    );
    const { rejections } = await ports.rejections.list('s-1', { about: { name: 'target', value: 'sku:B' } });
    expect(rejections).toMatchObject([
      { code: 'PRD_016', target: 'sku:B', sku: 'B', rowIndex: 1, batchId: 'b-1', commandId: 'c-1' },
    ]);
    expect(rejections[0]?.rejectedAt).toBe('2026-11-21T08:01:00.000Z');
    expect((await ports.rejections.list('s-1')).rejections).toEqual(rejections);
  });

  test('exclude rows of stock that are refused for now, which are sent again', async () => {
    const { ports, submit } = setUp();
    const rows = { sentRows: 2, rejectedRows: [refusedForNow(0), rejected(1, 'INV_001')] };
    await submit({ ...named, ...rows, kind: 'stock', endsBy: 'answer' });
    expect((await ports.rejections.list('s-1')).rejections).toMatchObject([{ code: 'INV_001', sku: 'B' }]);
  });

  test('have a row once, though an unresolved batch was reported before', async () => {
    const { ports, submit } = setUp();
    await submit(named);
    const unknownRows = [{ rowIndex: 1 }];
    const rejectedRows = [rejected(0, 'NOT_FOUND'), rejected(2)];
    await resolve(ports, { rejectedRows, unknownRows });
    expect((await ports.rejections.list('s-1')).rejections).toMatchObject([{ sku: 'A' }, { sku: 'C' }]);
    const summary = { total: 3, failed: 1, pending: 0 };
    await recordSummary(ports, { batchId: 'b-1' }, finalSummary({ summary, rejectedRows: [rejected(2)] }));
    expect(await ports.batches.get('b-1')).toMatchObject({ state: 'completed_with_errors' });
    expect((await ports.rejections.list('s-1')).rejections).toMatchObject([{ sku: 'C' }]);
  });

  test('cost no write where all rows are accepted', async () => {
    const { ports, submit } = setUp();
    const putAll = vi.spyOn(ports.rejections, 'putAll');
    await submit({ ...named, endsBy: 'answer' });
    expect(await ports.batches.get('b-1')).toMatchObject({ state: 'completed' });
    expect(putAll).not.toHaveBeenCalled();
  });
});

async function resolve(ports: ReturnType<typeof setUp>['ports'], facts: Parameters<typeof resolution>[0]) {
  const batch = await ports.batches.update('b-1', (current) => withResolution(current, resolution(facts)));
  if (batch !== undefined) await announceBatch(ports, batch);
}
