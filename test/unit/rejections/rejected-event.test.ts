import { expect, test } from 'vitest';
import { parseIncomingEvent } from '../../../shared/events/parse-incoming-event.ts';
import { rejectionOfEvent } from '../../../shared/rejections/rules/bounded.ts';

const SENT_AT = Date.UTC(2026, 10, 22);

const rejectionOf = (body: object) => {
  const parsed = parseIncomingEvent(JSON.stringify(body), ['product.update.requested'], {
    messageId: 'm-1',
    sentAt: SENT_AT,
  });
  return parsed.ok ? expect.unreachable() : rejectionOfEvent(parsed.refusal, SENT_AT);
};

test('the rejection of an event names all that is wrong with its detail, the first as its reason', () => {
  const detail = { storeClientId: '', productId: 7, changes: 'none', version: -1 };
  expect(rejectionOf({ 'detail-type': 'product.update.requested', detail })).toMatchObject({
    code: 'EVENT_INVALID',
    field: 'detail.storeClientId',
    details: {
      problems: [
        { field: 'detail.storeClientId', rule: 'TOO_SMALL' },
        { field: 'detail.productId', rule: 'INVALID_TYPE' },
        { field: 'detail.changes', rule: 'INVALID_TYPE' },
        { field: 'detail.version', rule: 'TOO_SMALL' },
      ],
    },
  });
});

test('the rejection of what is no event names what is wrong with it as a whole', () => {
  const rejection = rejectionOf({ id: 7, time: 'noon', 'detail-type': 1 });
  const problems = rejection.details?.problems as { field: string }[];
  expect(problems.map(({ field }) => field).sort()).toEqual(
    expect.arrayContaining(['detail-type', 'id', 'time']),
  );
});

test('the rejection of a detail-type that there is not has no problems: its message says all', () => {
  expect(rejectionOf({ 'detail-type': 'nothing', detail: {} })).not.toHaveProperty('details');
});

test('the rejection of an event names what the event is about, as far as that can be read', () => {
  const of = (detail: object) => rejectionOf({ 'detail-type': 'order.decision.requested', detail });
  expect(of({ orderId: 'o-1', document: 'label' })).toMatchObject({ orderId: 'o-1' });
  const one = of({ items: [{ orderId: 'o-1', decision: 'accept' }], retry: 'true' });
  expect(one).toMatchObject({ orderId: 'o-1' });
  expect(one).not.toHaveProperty('subjects');
  const several = of({
    occurredAt: 'noon',
    items: [{ sku: 'A' }, 7, { sku: 'x'.repeat(201) }, { sku: 'B', id: 5 }],
  });
  expect(several).toMatchObject({
    target: 'sku:A',
    subjects: [
      { sku: 'A', rowIndex: 0 },
      { sku: 'B', rowIndex: 3 },
    ],
  });
  expect(of({ productId: 'p-1', changes: 7 })).toMatchObject({ target: 'id:p-1' });
});
