import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FinalSummary, Submission } from '../../../../shared/batches/model.ts';
import { type LostNote, withNote } from '../../../../shared/batches/rules/lost-answers.ts';
import { recordSubmission, recordSummary } from '../../../../shared/batches/use-cases/record-batch.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import type { Step } from '../../../doubles/step.ts';
import { finalSummary, refusedForNow, rejected, submission } from '../batch-facts.ts';

const names = ['AAAA', 'bbbb', 'cccc'].map((externalId, row) => ({ externalId, sku: `SKU-${row}` }));
const namedRows = names.map(({ externalId, sku }, rowIndex) => ({
  rowIndex,
  externalId: externalId.toLowerCase(),
  sku,
}));

/** A sync whose answer was lost: recorded under the ID of its own record. */
const lost = (facts: Partial<Submission> = {}): Submission => {
  const { requestId: _, ...rest } = submission({ batchId: 'a-1', names, ...facts });
  return rest;
};

/** The summary of the lost try, under the IDs that no answer brought. */
const ids = { batchId: 'b-lost', requestId: 'r-lost' };
const summaryOfLost = (facts: Partial<FinalSummary> = {}) =>
  finalSummary({ requestId: 'r-lost', acceptedRows: namedRows, ...facts });

function setUp(step?: Step) {
  const published: OutgoingEvent[] = [];
  const ports = {
    batches: inMemoryBatchTable(step),
    events: inMemoryEventPublisher(undefined, published),
    rejections: inMemoryRejectionTable(),
  };
  const unmatched = async () => (await ports.batches.list({ state: 'unmatched' })).batches;
  return { ports, published, unmatched };
}

describe('the final summary of a try whose answer was lost', () => {
  test('ends the batch of its request, found by store and rows', async () => {
    const { ports, unmatched } = setUp();
    await recordSubmission(ports, lost());
    await recordSummary(ports, ids, summaryOfLost());
    expect(await ports.batches.get('a-1')).toMatchObject({ state: 'completed', rows: { accepted: 3 } });
    expect(await ports.batches.get('b-lost')).toMatchObject({ state: 'matched', matchedTo: 'a-1' });
    expect(await unmatched()).toEqual([]);
  });

  test('ends the batch also when it came first', async () => {
    const { ports, unmatched } = setUp();
    await recordSummary(ports, ids, summaryOfLost());
    expect(await recordSubmission(ports, lost())).toMatchObject({ state: 'completed' });
    expect(await unmatched()).toEqual([]);
  });

  test('is of another request if it came before the request was planned', async () => {
    const { ports, unmatched } = setUp();
    const summary = summaryOfLost();
    const later = (ms: number) => new Date(Date.parse(summary.receivedAt) + ms).toISOString();
    await recordSummary(ports, ids, summary);
    expect(await recordSubmission(ports, lost({ plannedAt: later(2_000) }))).toMatchObject({
      state: 'submitted',
    });
    expect(await unmatched()).toHaveLength(1);
    // Clocks of two functions differ by less than a second.
    const next = lost({ batchId: 'a-2', attemptId: 'a-2', plannedAt: later(500) });
    expect(await recordSubmission(ports, next)).toMatchObject({ state: 'completed' });
  });

  test('is found by one rejected row alone, if the summary names no other', async () => {
    const { ports } = setUp();
    await recordSubmission(ports, lost());
    const rejectedRows = [{ ...rejected(1), externalId: 'bbbb' }];
    const summary = { total: 3, failed: 1, pending: 0 };
    await recordSummary(ports, ids, finalSummary({ requestId: 'r-lost', summary, rejectedRows }));
    expect(await ports.batches.get('a-1')).toMatchObject({ rows: { accepted: 2, rejected: 1 } });
  });

  test('reaches the batch in any interleaving with the record of the request', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { ports } = setUp(async (_, effect) => scheduler.schedule(Promise.resolve()).then(effect));
        await scheduler.waitFor(
          Promise.all([recordSubmission(ports, lost()), recordSummary(ports, ids, summaryOfLost())]),
        );
        const looks = Promise.all([ports.batches.get('a-1'), ports.batches.get('b-lost')]);
        const [batch, leftOver] = await scheduler.waitFor(looks);
        expect(batch).toMatchObject({ state: 'completed', rows: { accepted: 3 } });
        expect(leftOver?.state).not.toBe('unmatched');
      }),
    );
  });

  test('is that of the retry too, which was answered under other IDs, and contradicts nothing', async () => {
    const { ports, published, unmatched } = setUp();
    await recordSubmission(ports, submission({ names, uncertain: true }));
    const existed = names.map((_, row) => rejected(row, 'PRD_002'));
    const summary = { total: 3, failed: 3, pending: 0 };
    await recordSummary(ports, { batchId: 'b-1' }, finalSummary({ summary, rejectedRows: existed }));
    const busy = { ...refusedForNow(0), externalId: 'aaaa' };
    const first = summaryOfLost({
      summary: { total: 3, failed: 1, pending: 0 },
      acceptedRows: namedRows.slice(1),
      rejectedRows: [busy],
    });
    await recordSummary(ports, ids, first);
    await recordSummary(ports, ids, first);
    expect(await ports.batches.get('b-1')).toMatchObject({ state: 'completed', rows: { accepted: 3 } });
    expect(await unmatched()).toEqual([]);
    expect(published.map(({ detailType }) => detailType)).not.toContain('summary.contradicted');
  });

  test('is found by the requestId of the error that the try ended with, without any row', async () => {
    const { ports, unmatched } = setUp();
    const counts = finalSummary({ requestId: 'r-lost' });
    await recordSubmission(ports, lost({ triedRequestIds: ['r-lost'] }));
    await recordSummary(ports, ids, counts);
    expect(await ports.batches.get('a-1')).toMatchObject({ state: 'completed' });
    expect(await unmatched()).toEqual([]);

    const early = setUp();
    await recordSummary(early.ports, { requestId: 'r-lost' }, counts);
    await recordSubmission(early.ports, lost({ triedRequestIds: ['r-lost'] }));
    expect(await early.ports.batches.get('a-1')).toMatchObject({ state: 'completed' });
    expect(await early.unmatched()).toEqual([]);
  });

  test('is stored without the names of its rows: they were of use to find the batch', async () => {
    const { ports } = setUp();
    await recordSubmission(ports, lost());
    await recordSummary(ports, ids, summaryOfLost());
    const batch = await ports.batches.get('a-1');
    expect(batch?.finalSummary?.acceptedRows).toEqual([{ rowIndex: 0 }, { rowIndex: 1 }, { rowIndex: 2 }]);
  });
});

test.each<[string, Partial<FinalSummary>]>([
  ['of another store', { storeClientId: 's-2' }],
  ['without a store', { storeClientId: undefined }],
  ['with more rows', { summary: { total: 4, failed: 0, pending: 0 } }],
  ['that names a row of another request', { acceptedRows: [...namedRows, { rowIndex: 2, sku: 'OTHER' }] }],
  ['that has the rows in other places', { acceptedRows: [{ rowIndex: 0, sku: 'SKU-1' }] }],
  ['that names no row', { acceptedRows: [{ rowIndex: 0 }] }],
])('a summary %s is not taken for that of a lost try', async (_, facts) => {
  const { ports, unmatched } = setUp();
  await recordSubmission(ports, lost());
  await recordSummary(ports, ids, summaryOfLost(facts));
  expect(await ports.batches.get('a-1')).toMatchObject({ state: 'submitted' });
  expect(await unmatched()).toHaveLength(1);
});

test('a summary that fits two lost tries is left to neither', async () => {
  const { ports, unmatched } = setUp();
  await recordSubmission(ports, lost());
  await recordSubmission(ports, lost({ batchId: 'a-2', attemptId: 'a-2' }));
  await recordSummary(ports, ids, summaryOfLost());
  expect(await unmatched()).toHaveLength(1);
});

test('a batch with its own IDs and no lost try takes no summary by its rows', async () => {
  const { ports, unmatched } = setUp();
  await recordSubmission(ports, submission({ names }));
  await recordSummary(ports, ids, summaryOfLost());
  expect(await unmatched()).toHaveLength(1);
});

test('notes are kept for a day, the last hundred of each kind, each once', () => {
  const at = (minute: number) => new Date(Date.parse('2026-11-21T00:00:00Z') + minute * 60_000).toISOString();
  let notes: readonly LostNote[] = [];
  for (let minute = 0; minute < 150; minute += 1)
    notes = withNote(notes, { kind: 'summary', id: `s-${minute}`, at: at(minute) }) ?? notes;
  notes = withNote(notes, { kind: 'batch', id: 'b-1', at: at(150) }) ?? notes;
  expect(notes).toHaveLength(101);
  expect(withNote(notes, { kind: 'batch', id: 'b-1', at: at(151) })).toBeUndefined();
  const later = withNote(notes, { kind: 'batch', id: 'b-2', at: at(149 + 24 * 60) });
  expect(later?.map(({ id }) => id)).toEqual(['s-149', 'b-1', 'b-2']);
});
