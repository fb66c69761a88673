import { describe, expect, test, vi } from 'vitest';
import { withFinalSummary } from '../../../../shared/batches/rules/apply-fact.ts';
import { batchFrom } from '../../../../shared/batches/rules/batch-record.ts';
import { announceBatch } from '../../../../shared/batches/use-cases/announce-batch.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { finalSummary, refusedForNow, rejected, resolution, submission } from '../batch-facts.ts';

async function announced(facts: Parameters<typeof batchFrom>[1], times = 1) {
  const published: OutgoingEvent[] = [];
  const ports = {
    batches: inMemoryBatchTable(),
    events: inMemoryEventPublisher(undefined, published),
    rejections: inMemoryRejectionTable(),
  };
  await ports.batches.update('b-1', () => batchFrom('b-1', facts));
  for (let time = 0; time < times; time += 1) {
    const batch = await ports.batches.get('b-1');
    if (batch !== undefined) await announceBatch(ports, batch);
  }
  return published;
}

const names = (published: OutgoingEvent[]) => published.map(({ detailType }) => detailType);

describe('the events of a batch', () => {
  test('announce its submission once', async () => {
    expect(names(await announced({ submission: submission() }, 2))).toEqual(['batch.submitted']);
  });

  test('have IDs for correlation', async () => {
    const [event] = await announced({ submission: submission() });
    expect(event?.detail).toMatchObject({
      storeClientId: 's-1',
      batchId: 'b-1',
      requestId: 'r-1',
      commandId: 'c-1',
    });
  });

  test('announce its rejected rows, at most 100 in an event', async () => {
    const rejectedRows = Array.from({ length: 250 }, (_, index) => rejected(index));
    const published = await announced({
      submission: submission({ sentRows: 250, rejectedRows, endsBy: 'answer' }),
    });
    expect(names(published)).toEqual([
      'batch.submitted',
      'batch.completed',
      'rows.rejected',
      'rows.rejected',
      'rows.rejected',
    ]);
  });

  test('announce long rejected rows in events of less than 256 KB, which every region of EventBridge takes', async () => {
    const rejectedRows = Array.from({ length: 90 }, (_, index) => rejected(index, 'x'.repeat(8_000)));
    const published = await announced({
      submission: submission({ sentRows: 90, rejectedRows, endsBy: 'answer' }),
    });
    const sizes = published.map((event) => JSON.stringify(event).length);
    expect(Math.max(...sizes)).toBeLessThan(262_144);
    const rows = published.flatMap((event) =>
      event.detailType === 'rows.rejected' ? event.detail.rows : [],
    );
    expect(rows).toHaveLength(90);
  });

  test.each(['stock', 'price'] as const)(
    'leave out rows of %s that the lane sends again, which the record keeps',
    async (kind) => {
      const published = await announced({
        submission: submission({ kind, rejectedRows: [refusedForNow(0), rejected(2)], endsBy: 'answer' }),
      });
      expect(published.slice(1)).toMatchObject([
        {
          detailType: 'batch.completed',
          detail: { rows: { sent: 3, accepted: 1, rejected: 2, unknown: 0 } },
        },
        { detailType: 'rows.rejected', detail: { rows: [{ rowIndex: 2 }] } },
      ]);
    },
  );

  test('announce temporarily refused product rows, which only the partner sends again', async () => {
    const published = await announced({
      submission: submission({ rejectedRows: [refusedForNow(0)], endsBy: 'answer' }),
    });
    expect(published.at(-1)).toMatchObject({
      detailType: 'rows.rejected',
      detail: { rows: [{ rowIndex: 0 }] },
    });
  });

  test('announce an unresolved batch with its rejected rows', async () => {
    const unresolved = resolution({ rejectedRows: [rejected(0)], unknownRows: [{ rowIndex: 1 }] });
    const published = await announced({ submission: submission(), resolution: unresolved });
    expect(names(published)).toEqual(['batch.submitted', 'batch.unresolved', 'rows.rejected']);
  });

  test('announce a contradicting summary once, with the first of its rejected rows, after its effects', async () => {
    const ended = batchFrom('b-1', { submission: submission(), finalSummary: finalSummary() });
    const rejectedRows = Array.from({ length: 100 }, (_, index) => rejected(index % 3, 'x'.repeat(100)));
    const other = finalSummary({ summary: { total: 3, failed: 3, pending: 0 }, rejectedRows });
    const published: OutgoingEvent[] = [];
    const onEnd = vi.fn(async () => {});
    const events = inMemoryEventPublisher(undefined, published);
    const ports = { batches: inMemoryBatchTable(), events, rejections: inMemoryRejectionTable(), onEnd };
    await ports.batches.update('b-1', () => ended);
    await announceBatch(ports, ended);
    expect(onEnd).toHaveBeenCalledTimes(1);
    await ports.batches.update('b-1', (current) => withFinalSummary('b-1', current, other));
    for (let time = 0; time < 2; time += 1) {
      const batch = await ports.batches.get('b-1');
      if (batch !== undefined) await announceBatch(ports, batch);
    }
    expect(onEnd).toHaveBeenCalledTimes(2);
    expect(names(published)).toEqual(['batch.submitted', 'batch.completed', 'summary.contradicted']);
    expect(published.at(-1)?.detail).toMatchObject({
      batchId: 'b-1',
      state: 'completed',
      rows: { accepted: 3, rejected: 0 },
      said: {
        summary: { failed: 3 },
        rejectedRows: rejectedRows.slice(0, 21),
        archiveKey: 'webhooks/1.json',
      },
    });
  });

  test('follow the other effects of its end, which are repeated after a crash', async () => {
    const ends: string[] = [];
    const batches = inMemoryBatchTable();
    await batches.update('b-1', () => batchFrom('b-1', { submission: submission({ endsBy: 'answer' }) }));
    const crash = new Error('killed');
    const ports = {
      batches,
      rejections: inMemoryRejectionTable(),
      events: { publish: () => (ends.length < 2 ? Promise.reject(crash) : Promise.resolve()) },
      onEnd: async ({ state }: { state: string }) => void ends.push(state),
    };
    const announce = async () => announceBatch(ports, (await batches.get('b-1')) ?? expect.unreachable());
    await expect(announce()).rejects.toBe(crash);
    await announce();
    await announce();
    expect(ends).toEqual(['completed', 'completed']);
  });

  test('are missing for a final summary without a batch', async () => {
    expect(await announced({ finalSummary: finalSummary() })).toEqual([]);
  });
});
