import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { FinalSummary, Submission } from '../../../../shared/batches/model.ts';
import { rowsKeyOf } from '../../../../shared/batches/rules/sent-rows.ts';
import { recordSubmission, recordSummary } from '../../../../shared/batches/use-cases/record-batch.ts';
import { noteRequest } from '../../../../shared/batches/use-cases/summaries-by-rows.ts';
import type { RowNames } from '../../../../shared/marketplace/row-outcomes.ts';
import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import type { Step } from '../../../doubles/step.ts';
import { finalSummary, rejected, submission } from '../batch-facts.ts';

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
  const ports = {
    batches: inMemoryBatchTable(step),
    events: inMemoryEventPublisher(),
    rejections: inMemoryRejectionTable(),
  };
  const unmatched = async () => (await ports.batches.list({ state: 'unmatched' })).batches;
  return { ports, unmatched };
}

describe('the final summary of a try whose answer was lost', () => {
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

  test('reaches the batch by that requestId in any interleaving, also after a crash at any step', async () => {
    await inAnyInterleaving((ports) => [
      () => recordSubmission(ports, lost({ triedRequestIds: ['r-lost'] })),
      () => recordSummary(ports, ids, finalSummary({ requestId: 'r-lost' })),
    ]);
  });
});

const KEY = rowsKeyOf('s-1', names);

/** A request with these products is about to be sent. */
const request = (recordId: string) => ({ recordId, storeClientId: 's-1', rows: names });

describe('a summary that names all products of the only request with these', () => {
  test('ends the batch of the request, whose answer brought no ID', async () => {
    const { ports, unmatched } = setUp();
    await noteRequest(ports.batches, request('a-1'));
    await recordSubmission(ports, lost());
    const rejectedRows = [{ ...rejected(1), externalId: 'bbbb' }];
    const summary = { total: 3, failed: 1, pending: 0 };
    await recordSummary(ports, { ...ids, rowsKey: KEY }, summaryOfLost({ summary, rejectedRows }));
    expect(await ports.batches.get('a-1')).toMatchObject({
      state: 'completed_with_errors',
      rows: { accepted: 2, rejected: 1 },
      rejectedRows: [{ rowIndex: 1, code: 'VAL_001' }],
    });
    expect(await ports.batches.get('b-lost')).toMatchObject({ state: 'matched', matchedTo: 'a-1' });
    expect(await unmatched()).toEqual([]);
  });

  test('ends the batch also when it came first', async () => {
    const { ports, unmatched } = setUp();
    await noteRequest(ports.batches, request('a-1'));
    await recordSummary(ports, { ...ids, rowsKey: KEY }, summaryOfLost());
    expect(await unmatched()).toHaveLength(1);
    expect(await recordSubmission(ports, lost())).toMatchObject({ state: 'completed' });
    expect(await unmatched()).toEqual([]);
  });

  test('takes the other summaries of its request with it, stored under its other ID, and later ones by either', async () => {
    const { ports, unmatched } = setUp();
    const counts = finalSummary({ requestId: 'r-lost' });
    await noteRequest(ports.batches, request('a-1'));
    await recordSummary(ports, { requestId: 'r-lost' }, counts);
    await recordSubmission(ports, lost());
    await recordSummary(ports, { ...ids, rowsKey: KEY }, summaryOfLost());
    await recordSummary(ports, { requestId: 'r-lost' }, counts);
    await recordSummary(ports, { batchId: 'b-lost' }, counts);
    expect(await ports.batches.get('a-1')).toMatchObject({ state: 'completed' });
    expect(await unmatched()).toEqual([]);
  });

  test.each(['before', 'after'])(
    'takes those of its other ID with it also if only a delivery %s it was found names the request',
    async (when) => {
      const { ports, unmatched } = setUp();
      const { requestId: _, ...withoutRequest } = summaryOfLost();
      const find = () => recordSubmission(ports, lost());
      const nameRequest = () => recordSummary(ports, { ...ids, rowsKey: KEY }, summaryOfLost());
      await noteRequest(ports.batches, request('a-1'));
      await recordSummary(ports, { batchId: 'b-lost', rowsKey: KEY }, withoutRequest);
      await recordSummary(ports, { requestId: 'r-lost' }, finalSummary({ requestId: 'r-lost' }));
      for (const step of when === 'before' ? [nameRequest, find] : [find, nameRequest]) {
        expect(await unmatched()).not.toEqual([]);
        await step();
      }
      expect(await ports.batches.get('a-1')).toMatchObject({ state: 'completed' });
      expect(await unmatched()).toEqual([]);
    },
  );

  test('is that of an earlier try of a request that was answered at its retry, and contradicts nothing', async () => {
    const { ports, unmatched } = setUp();
    await noteRequest(ports.batches, request('a-1'));
    await recordSummary(ports, { ...ids, rowsKey: KEY }, summaryOfLost());
    await recordSubmission(ports, submission({ names, uncertain: true }));
    const existed = names.map((_, row) => rejected(row, 'PRD_002'));
    const summary = { total: 3, failed: 3, pending: 0 };
    await recordSummary(ports, { batchId: 'b-1' }, finalSummary({ summary, rejectedRows: existed }));
    const batch = await ports.batches.get('b-1');
    expect(batch).toMatchObject({ state: 'completed', rows: { accepted: 3 } });
    expect(batch?.contradictions).toBeUndefined();
    expect(await unmatched()).toEqual([]);
  });

  test('takes one with it that was read before, and is stored after it was found', async () => {
    const { ports, unmatched } = setUp();
    await noteRequest(ports.batches, request('a-1'));
    await recordSummary(ports, { ...ids, rowsKey: KEY }, summaryOfLost());
    const before = await ports.batches.get('b-lost');
    await recordSubmission(ports, lost());
    vi.spyOn(ports.batches, 'get').mockResolvedValueOnce(before);
    await recordSummary(ports, { batchId: 'b-lost' }, finalSummary());
    expect(await ports.batches.get('b-lost')).toMatchObject({ state: 'matched', matchedTo: 'a-1' });
    expect(await unmatched()).toEqual([]);
  });

  test('reaches the batch in any interleaving with the record of the request, and one that names no product with it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { ports } = setUp(async (_, effect) => scheduler.schedule(Promise.resolve()).then(effect));
        await scheduler.waitFor(noteRequest(ports.batches, request('a-1')));
        await scheduler.waitFor(
          Promise.all([
            recordSubmission(ports, lost()),
            recordSummary(ports, { ...ids, rowsKey: KEY }, summaryOfLost()),
            recordSummary(ports, { batchId: 'b-lost' }, finalSummary()),
          ]),
        );
        const looks = Promise.all([ports.batches.get('a-1'), ports.batches.get('b-lost')]);
        const [batch, leftOver] = await scheduler.waitFor(looks);
        expect(batch).toMatchObject({ state: 'completed', rows: { accepted: 3 } });
        expect(leftOver?.state).toBe('matched');
      }),
    );
  });

  test('takes those of its request with it that came after it had been found, and before it was linked', async () => {
    const { ports, unmatched } = setUp();
    await noteRequest(ports.batches, request('a-1'));
    await recordSubmission(ports, lost());
    const found = () => recordSummary(ports, { ...ids, rowsKey: KEY }, summaryOfLost());
    // The first links the request to the summary, the second to the batch: it has its effect after the crash.
    vi.spyOn(ports.batches, 'relink').mockResolvedValueOnce(true).mockRejectedValueOnce(new Error('killed'));
    await expect(found()).rejects.toThrow('killed');
    await recordSummary(ports, { requestId: 'r-lost' }, finalSummary({ requestId: 'r-lost' }));
    await ports.batches.link('r-lost', 'a-1');
    await found();
    expect(await ports.batches.get('a-1')).toMatchObject({ state: 'completed' });
    expect(await unmatched()).toEqual([]);
  });

  test('takes those of its request with it also if recording a batch that was answered at its retry crashes at any step', async () => {
    for (let crashAt = 1, isOver = false; !isOver; crashAt += 1) {
      let steps = Number.NEGATIVE_INFINITY;
      const { ports, unmatched } = setUp(async (_, effect) => {
        steps += 1;
        if (steps === crashAt) throw new Error('killed');
        return effect();
      });
      await noteRequest(ports.batches, request('a-1'));
      await recordSummary(ports, { ...ids, rowsKey: KEY }, summaryOfLost());
      await recordSummary(ports, { requestId: 'r-lost' }, finalSummary());
      steps = 0;
      const record = () => recordSubmission(ports, submission({ names, uncertain: true }));
      await record().catch(record);
      isOver = steps < crashAt;
      steps = Number.POSITIVE_INFINITY;
      expect(await ports.batches.get('b-1')).toMatchObject({ state: 'completed' });
      expect(await unmatched()).toEqual([]);
    }
  });

  test('is still that of its request if another one had the same products after it had come', async () => {
    const late = setUp();
    await noteRequest(late.ports.batches, request('a-1'));
    await recordSummary(late.ports, { ...ids, rowsKey: KEY }, summaryOfLost());
    await noteRequest(late.ports.batches, request('a-2'));
    expect(await recordSubmission(late.ports, lost())).toMatchObject({ state: 'completed' });
    expect(await late.unmatched()).toEqual([]);

    const again = setUp();
    const deliver = () => recordSummary(again.ports, { ...ids, rowsKey: KEY }, summaryOfLost());
    await noteRequest(again.ports.batches, request('a-1'));
    await recordSubmission(again.ports, lost());
    vi.spyOn(again.ports.batches, 'relink')
      .mockResolvedValueOnce(true)
      .mockRejectedValueOnce(new Error('killed'));
    await expect(deliver()).rejects.toThrow('killed');
    await noteRequest(again.ports.batches, request('a-2'));
    await deliver();
    expect(await again.unmatched()).toEqual([]);
  });

  test('takes those of its request with it in any interleaving, also after a crash at any step', async () => {
    await inAnyInterleaving((ports) => [
      () => recordSubmission(ports, lost()),
      () => recordSummary(ports, { ...ids, rowsKey: KEY }, summaryOfLost()),
      () => recordSummary(ports, { requestId: 'r-lost' }, finalSummary()),
    ]);
  });
});

/** Runs all at once after the request was noted, one again after a crash: the batch is completed, and no summary is left. */
async function inAnyInterleaving(
  runs: (ports: ReturnType<typeof setUp>['ports']) => readonly (() => Promise<unknown>)[],
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 5, max: 40 }), async (scheduler, crashAt) => {
      let steps = 0;
      const { ports, unmatched } = setUp(async (_, effect) => {
        await scheduler.schedule(Promise.resolve());
        steps += 1;
        if (steps === crashAt) throw new Error('killed');
        return effect();
      });
      await scheduler.waitFor(noteRequest(ports.batches, request('a-1')));
      steps = 0;
      await scheduler.waitFor(Promise.all(runs(ports).map((run) => run().catch(run))));
      steps = Number.POSITIVE_INFINITY;
      const [batch, left] = await scheduler.waitFor(Promise.all([ports.batches.get('a-1'), unmatched()]));
      expect(batch).toMatchObject({ state: 'completed', rows: { accepted: 3 } });
      expect(left).toEqual([]);
    }),
    { numRuns: 300 },
  );
}

describe('a summary is left unmatched', () => {
  test.each([
    ['another request was sent with the same products before', ['a-0', 'a-1']],
    ['another request was sent with the same products after', ['a-1', 'a-2']],
    ['the request was sent before requests were noted', []],
  ])('if %s', async (_, recordIds) => {
    const { ports, unmatched } = setUp();
    for (const recordId of recordIds) await noteRequest(ports.batches, request(recordId));
    await recordSubmission(ports, lost());
    await recordSummary(ports, { ...ids, rowsKey: KEY }, summaryOfLost());
    expect(await ports.batches.get('a-1')).toMatchObject({ state: 'submitted' });
    expect(await unmatched()).toHaveLength(1);
  });

  test('if the answer brought the IDs of the only try', async () => {
    const { ports, unmatched } = setUp();
    await noteRequest(ports.batches, request('a-1'));
    await recordSubmission(ports, submission({ names }));
    await recordSummary(ports, { ...ids, rowsKey: KEY }, summaryOfLost());
    expect(await unmatched()).toHaveLength(1);
  });
});

test('the key of products is the same in any order and case, and another one for another store', () => {
  const inOtherForm = names.toReversed().map(({ externalId }) => ({ externalId: externalId.toUpperCase() }));
  expect(rowsKeyOf('s-1', inOtherForm)).toBe(KEY);
  expect(rowsKeyOf('s-2', names)).not.toBe(KEY);
  expect(rowsKeyOf('s-1', names.slice(1))).not.toBe(KEY);
});

test.each<[string, RowNames[]]>([
  ['none', []],
  ['one without an externalId', [...names, { sku: 'SKU-3' }]],
  ['one twice', [...names, { externalId: 'aaaa' }]],
])('if the rows name %s, they have no key', (_, rows) => {
  expect(rowsKeyOf('s-1', rows)).toBeUndefined();
});
