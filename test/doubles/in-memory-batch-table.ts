import { readEach } from '../../shared/aws/records.ts';
import { type BatchRecord, batchRecordSchema } from '../../shared/batches/model.ts';
import type { BatchQuery, BatchTable } from '../../shared/batches/ports.ts';
import { dueSince } from '../../shared/batches/rules/announcements.ts';
import type { SentRows } from '../../shared/batches/rules/sent-rows.ts';
import { compareText, pageOf } from './page-of.ts';
import { validatingReader } from './record-reader.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

const read = validatingReader('Batches', 'batchId', batchRecordSchema);

/**
 * The Batches table in memory; tables over the same `items`, `links` and `sentRows` are one table. `readIndex` returns what its
 * global indexes show; by default every write at once.
 */
export function inMemoryBatchTable(
  step: Step = directly,
  items: VersionedItems<BatchRecord> = new VersionedItems(),
  links: Map<string, string> = new Map(),
  readIndex: () => readonly BatchRecord[] = () => items.all(),
  sentRows: VersionedItems<SentRows> = new VersionedItems(),
): BatchTable {
  return {
    get: (batchId) =>
      step(`batches.read ${batchId}`, () => {
        const item = items.read(batchId);
        return item && read(item.value);
      }),

    update: (batchId, change, known) =>
      updateItem(
        { items, key: batchId, step, name: 'batches' },
        (current) => change(current && read(current)),
        known,
      ),

    link: (requestId, batchId) =>
      step(`batches.link ${requestId}`, () => {
        links.set(requestId, batchId);
      }),

    relink: (requestId, from, to) =>
      step(`batches.link ${requestId}`, () => {
        const isFrom = links.get(requestId) === from;
        if (isFrom) links.set(requestId, to);
        return isFrom;
      }),

    linkedTo: (requestId) => step(`batches.linked ${requestId}`, () => links.get(requestId)),

    updateSentRows: (key, change) => updateItem({ items: sentRows, key, step, name: 'sent rows' }, change),

    list: (query) =>
      step('batches.list', () => {
        const found = oldestFirst(readIndex().filter((batch) => isAskedFor(batch, query))).reverse();
        const { page, ...cursor } = pageOf(found, ({ batchId }) => batchId, query);
        return { batches: page.map(read), ...cursor };
      }),

    listOpen: (query) =>
      step('batches.open', () => {
        const open = oldestFirst(readIndex().filter(({ state }) => state === 'submitted'));
        const { page, ...cursor } = pageOf(open, ({ batchId }) => batchId, query);
        const { readable, unreadable } = readEach(page, read);
        return { batches: readable, unreadable, ...cursor };
      }),

    listUnannounced: ({ dueBefore, ...query }) =>
      step('batches.unannounced', () => {
        const due = readIndex()
          .map((batch) => ({ batchId: batch.batchId, since: dueSince(batch) ?? dueBefore }))
          .filter(({ since }) => since < dueBefore)
          .sort((a, b) => compareText(a.since, b.since) || compareText(a.batchId, b.batchId))
          .map(({ batchId }) => batchId);
        const { page, ...cursor } = pageOf(due, (batchId) => batchId, query);
        return { batchIds: page, ...cursor };
      }),
  };
}

function oldestFirst(batches: readonly BatchRecord[]): BatchRecord[] {
  return batches.toSorted(
    (a, b) => compareText(a.submittedAt, b.submittedAt) || compareText(a.batchId, b.batchId),
  );
}

function isAskedFor(batch: BatchRecord, { storeClientId, state, kind, since }: BatchQuery): boolean {
  return (
    (storeClientId === undefined || batch.storeClientId === storeClientId) &&
    (state === undefined
      ? !['unmatched', 'matched', 'discarded'].includes(batch.state)
      : batch.state === state) &&
    (kind === undefined || batch.kind === kind) &&
    (since === undefined || batch.submittedAt >= since)
  );
}
