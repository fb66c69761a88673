import { describe, expect, test } from 'vitest';
import { batchFrom } from '../../../../shared/batches/rules/batch-record.ts';
import { announceBatch } from '../../../../shared/batches/use-cases/announce-batch.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { finalSummary, refusedForNow, rejected, resolution, submission } from '../batch-facts.ts';

async function announced(facts: Parameters<typeof batchFrom>[1], times = 1) {
  const published: OutgoingEvent[] = [];
  const ports = { batches: inMemoryBatchTable(), events: inMemoryEventPublisher(undefined, published) };
  await ports.batches.update('b-1', () => batchFrom('b-1', facts));
  for (let time = 0; time < times; time += 1) {
    const batch = await ports.batches.get('b-1');
    if (batch !== undefined) await announceBatch(ports, batch);
  }
  return published;
}

const names = (published: OutgoingEvent[]) => published.map(({ detailType }) => detailType);

describe('a batch is announced', () => {
  test('when it is submitted, once', async () => {
    expect(names(await announced({ submission: submission() }, 2))).toEqual(['batch.submitted']);
  });

  test('with IDs to correlate by', async () => {
    const [event] = await announced({ submission: submission() });
    expect(event?.detail).toMatchObject({
      storeClientId: 's-1',
      batchId: 'b-1',
      requestId: 'r-1',
      commandId: 'c-1',
    });
  });

  test('with its rejected rows, 100 in an event', async () => {
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

  test.each(['stock', 'price'] as const)(
    'of %s without the rows that the lane keeps and sends again, which its record keeps',
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

  test('of stock with a row that only its summary refused, as its lane counts it as accepted', async () => {
    const published = await announced({
      submission: submission({ kind: 'stock', rejectedRows: [refusedForNow(0)], endsBy: 'answer' }),
      finalSummary: finalSummary({
        summary: { total: 3, failed: 2, pending: 0 },
        rejectedRows: [refusedForNow(0), refusedForNow(1)],
      }),
    });
    expect(published.at(-1)).toMatchObject({
      detailType: 'rows.rejected',
      detail: { rows: [{ rowIndex: 1 }] },
    });
  });

  test('of products with the rows that are refused for now: nobody but the partner sends them again', async () => {
    const published = await announced({
      submission: submission({ rejectedRows: [refusedForNow(0)], endsBy: 'answer' }),
    });
    expect(published.at(-1)).toMatchObject({
      detailType: 'rows.rejected',
      detail: { rows: [{ rowIndex: 0 }] },
    });
  });

  test('as unresolved with the rows that are known to be rejected', async () => {
    const unresolved = resolution({ rejectedRows: [rejected(0)], unknownRows: [{ rowIndex: 1 }] });
    const published = await announced({ submission: submission(), resolution: unresolved });
    expect(names(published)).toEqual(['batch.submitted', 'batch.unresolved', 'rows.rejected']);
  });

  test('not at all while it is a final summary without a batch', async () => {
    expect(await announced({ finalSummary: finalSummary() })).toEqual([]);
  });
});
