import { expect, test } from 'vitest';
import { incomingDetailTypes as detailTypes } from '../../../shared/events/incoming.ts';
import { parseIncomingEvent } from '../../../shared/events/parse-incoming-event.ts';
import { boundedText } from '../../../shared/rejections/rules/bounded.ts';

const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;

const facts = { messageId: 'message-1', sentAt: 0 };
const bodyOf = (detail: string) =>
  `{"detail-type":"stock.changed","detail":{"storeClientId":"store-1",${detail}}}`;

test('a row that nests 5,000 deep is replaced by an invalid row, and the others stay', () => {
  const parsed = parseIncomingEvent(bodyOf(`"items":[{"sku":${deep}},{"sku":"B"}]`), detailTypes, facts);
  const items = ['nests more than 100 levels deep', { sku: 'B' }];
  expect(parsed).toMatchObject({ ok: true, event: { detail: { items } } });
});

test.each([
  ['beside the rows of an event', bodyOf(`"items":[{}],"more":{"deep":${deep}}`)],
  ['beside the detail of an event', `{"more":${deep},"detail-type":"stock.changed","detail":{}}`],
])('an event is refused when it nests 5,000 deep %s', (_, body) => {
  const parsed = parseIncomingEvent(body, detailTypes, facts);
  expect(parsed).toMatchObject({ ok: false, refusal: { code: 'EVENT_INVALID', eventId: 'message-1' } });
});

test('the refusal of an unknown detail-type names every known one within the words that a rejection keeps', () => {
  const body = JSON.stringify({ 'detail-type': 'stock.vanished', detail: {} });
  const parsed = parseIncomingEvent(body, ['stock.changed', 'price.changed'], facts);
  const message = parsed.ok ? '' : boundedText(parsed.refusal.message);
  expect(detailTypes).toHaveLength(9);
  for (const name of [...detailTypes, 'stock.vanished']) expect(message).toContain(name);
});

test('the refusal of an event in another queue than its own says which events that queue takes', () => {
  const body = JSON.stringify({ 'detail-type': 'order.decision.requested', detail: {} });
  const parsed = parseIncomingEvent(body, ['stock.changed', 'price.changed'], facts);
  const message =
    'this queue accepts stock.changed, price.changed; send "order.decision.requested" to the event bus';
  expect(parsed).toMatchObject({ ok: false, refusal: { code: 'DETAIL_TYPE_UNKNOWN', message } });
});

test.each([
  ['"document":"receipt"', 'detail.document', ['shipping-label', 'invoice']],
  ['"document":"invoice","refresh":"yes"', 'detail.refresh', ['boolean']],
])('the refusal of %s names what %s may be', (given, field, allowed) => {
  const detail = `{"storeClientId":"store-1","orderId":"o-1",${given}}`;
  const body = `{"detail-type":"order.document.requested","detail":${detail}}`;
  const parsed = parseIncomingEvent(body, detailTypes, facts);
  expect(parsed).toMatchObject({ ok: false, refusal: { field } });
  for (const value of allowed) expect(parsed.ok ? '' : parsed.refusal.message).toContain(value);
});

test('the refusal of a time names both forms that a time may have', () => {
  const parsed = parseIncomingEvent(bodyOf('"occurredAt":"yesterday","items":[{}]'), detailTypes, facts);
  const message = 'detail.occurredAt: must be ISO 8601 with its offset from UTC, or epoch milliseconds';
  expect(parsed).toMatchObject({ ok: false, refusal: { message } });
});
