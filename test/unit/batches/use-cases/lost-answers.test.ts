import { describe, expect, test } from 'vitest';
import type { FinalSummary, Submission } from '../../../../shared/batches/model.ts';
import { recordSubmission, recordSummary } from '../../../../shared/batches/use-cases/record-batch.ts';
import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { finalSummary, submission } from '../batch-facts.ts';

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

function setUp() {
  const ports = {
    batches: inMemoryBatchTable(),
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
});

test('a summary is not taken by its rows alone: another request may have the same', async () => {
  const { ports, unmatched } = setUp();
  await recordSubmission(ports, lost());
  await recordSummary(ports, ids, summaryOfLost());
  expect(await ports.batches.get('a-1')).toMatchObject({ state: 'submitted' });
  expect(await unmatched()).toHaveLength(1);
});
