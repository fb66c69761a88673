import { expect, test } from 'vitest';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import { reportRejections } from '../../../shared/rejections/use-cases/report-rejections.ts';

test('rows of several events are published separately, each with the ID of its event', async () => {
  const events: OutgoingEvent[] = [];
  const ports = {
    events: { publish: async (some: readonly OutgoingEvent[]) => void events.push(...some) },
    rejections: { putAll: async () => undefined },
  };
  const rejection = (eventId: string, rowIndex: number) => ({
    storeClientId: 's-1',
    rejectionId: `${eventId}#${rowIndex}`,
    rejectedAt: '2026-01-01T00:00:00.000Z',
    code: 'ROW_INVALID',
    message: 'no',
    detailType: 'stock.changed',
    eventId,
    rowIndex,
  });
  await reportRejections(ports, [rejection('e-1', 0), rejection('e-2', 0), rejection('e-1', 3)]);
  expect(events.map(({ detail }) => detail)).toMatchObject([
    {
      storeClientId: 's-1',
      eventId: 'e-1',
      detailType: 'stock.changed',
      rows: [{ rowIndex: 0 }, { rowIndex: 3 }],
    },
    { storeClientId: 's-1', eventId: 'e-2', detailType: 'stock.changed', rows: [{ rowIndex: 0 }] },
  ]);
});
