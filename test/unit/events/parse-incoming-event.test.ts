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

test('a member receivedAt that a partner sends does not change the age of an event', () => {
  const body = `{"receivedAt":"2026-01-21T15:00:00Z",${bodyOf('"items":[{}]').slice(1)}`;
  expect(parseIncomingEvent(body, detailTypes, facts)).toMatchObject({ ok: true, receivedAt: 0 });
});

test.each(Array.from({ length: 6 }, (_, index) => 96 + index))(
  'a row that nests %d deep has no effect on the others',
  (levels) => {
    const row = `{"sku":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const parsed = parseIncomingEvent(bodyOf(`"items":[${row},{"sku":"B"}]`), detailTypes, facts);
    const first = levels <= 100 ? JSON.parse(row) : 'nests more than 100 levels deep';
    expect(parsed).toMatchObject({ ok: true, event: { detail: { items: [first, { sku: 'B' }] } } });
  },
);

test('a row that has a member twice is replaced by an invalid row, and the others stay', () => {
  const rows = '"items":[{"sku":"A"},{"sku":"B","stock":5,"stock":0},{"sku":"C"}]';
  const parsed = parseIncomingEvent(bodyOf(rows), detailTypes, facts);
  const items = [{ sku: 'A' }, 'must be given once', { sku: 'C' }];
  expect(parsed).toMatchObject({ ok: true, event: { detail: { items } } });
});

test.each([
  ['its rows', bodyOf('"items":[{"sku":"A"}],"items":[{"sku":"B"}]'), 'detail.items'],
  ['its version', bodyOf('"version":7,"items":[{}],"version":8'), 'detail.version'],
  ['its detail', `{"detail":{},${bodyOf('"items":[{}]').slice(1)}`, 'detail'],
  [
    'a field that an update changes',
    '{"detail-type":"product.update.requested","detail":{"storeClientId":"s","productId":"p","changes":{"price":1,"price":2}}}',
    'detail.changes.price',
  ],
])('an event that has %s twice is refused', (_, body, field) => {
  const parsed = parseIncomingEvent(body, detailTypes, facts);
  const refusal = { code: 'EVENT_INVALID', field, message: `${field}: must be given once` };
  expect(parsed).toMatchObject({ ok: false, refusal });
});

test.each([
  ['occuredAt', 'occurredAt', '"2026-01-01T00:00:00Z"'],
  ['occurred_at', 'occurredAt', '1767225600000'],
  ['Version', 'version', '7'],
])(
  'an event with %s in place of %s is refused: its values would get the time of the event',
  (given, meant, value) => {
    const parsed = parseIncomingEvent(bodyOf(`"items":[{}],"${given}":${value}`), detailTypes, facts);
    const message = `detail.${given}: must be written ${meant}`;
    expect(parsed).toMatchObject({
      ok: false,
      refusal: { code: 'EVENT_INVALID', field: `detail.${given}`, message },
    });
  },
);

test('an event may have fields of its sender, and a Time in place of the time is refused', () => {
  const body = bodyOf('"items":[{}],"batchName":"night","occurredOn":"Monday"');
  expect(parseIncomingEvent(body, detailTypes, facts)).toMatchObject({ ok: true });
  const timed = `{"Time":"2026-01-01T00:00:00Z",${body.slice(1)}`;
  expect(parseIncomingEvent(timed, detailTypes, facts)).toMatchObject({
    ok: false,
    refusal: { field: 'Time' },
  });
});

test.each([
  ['beside the rows of an event', bodyOf(`"items":[{}],"more":{"deep":${deep}}`), 'detail.more'],
  [
    'in the changes of an update',
    `{"detail-type":"product.update.requested","detail":{"storeClientId":"store-1","productId":"p","changes":{"name":${deep}}}}`,
    'detail.changes',
  ],
  ['beside the detail of an event', `{"more":${deep},${bodyOf('"items":[{}]').slice(1)}`, 'more'],
])('an event that nests 5,000 deep %s is refused with its ID and store', (_, body, field) => {
  const parsed = parseIncomingEvent(`{"id":"e-1",${body.slice(1)}`, detailTypes, facts);
  const refusal = { code: 'EVENT_INVALID', eventId: 'e-1', storeClientId: 'store-1', field };
  expect(parsed).toMatchObject({ ok: false, refusal });
});

test('the refusal of an unknown detail-type names every known one within the words that a rejection keeps', () => {
  const body = JSON.stringify({ 'detail-type': 'stock.vanished', detail: {} });
  const parsed = parseIncomingEvent(body, ['stock.changed', 'price.changed'], facts);
  const message = parsed.ok ? '' : boundedText(parsed.refusal.message);
  expect(detailTypes).toHaveLength(9);
  for (const name of [...detailTypes, 'stock.vanished']) expect(message).toContain(name);
});

test('a message of the connector itself is unknown as an event of the bus', () => {
  const detail = { storeClientId: 'store-1', products: [], knownAt: 1 };
  const parse = (event: object) =>
    parseIncomingEvent(
      JSON.stringify({ 'detail-type': 'products.created', detail, ...event }),
      ['stock.changed', 'products.created'],
      facts,
    );
  expect(parse({})).toMatchObject({ ok: true });
  expect(parse({ source: 'my.pim' })).toMatchObject({ ok: false, refusal: { code: 'DETAIL_TYPE_UNKNOWN' } });
});

test('the refusal of an event in another queue than its own says which events that queue takes', () => {
  const body = JSON.stringify({ 'detail-type': 'order.decision.requested', detail: {} });
  const parsed = parseIncomingEvent(body, ['stock.changed', 'price.changed'], facts);
  const message =
    'this queue accepts stock.changed, price.changed; send "order.decision.requested" to the event bus';
  expect(parsed).toMatchObject({ ok: false, refusal: { code: 'DETAIL_TYPE_UNKNOWN', message } });
});

test('the refusal of an event of the bus without a store names that, in whatever queue it is', () => {
  const body = {
    source: 'my.oms',
    'detail-type': 'order.decision.requested',
    detail: { storeId: 'store-1' },
  };
  const parsed = parseIncomingEvent(JSON.stringify(body), ['stock.changed', 'price.changed'], facts);
  const refusal = { code: 'EVENT_INVALID', field: 'detail.storeClientId' };
  expect(parsed).toMatchObject({ ok: false, refusal });
});

test.each([
  ['"document":"receipt"', 'detail.document', ['shipping-label', 'invoice']],
  ['"document":"invoice","refresh":"yes"', 'detail.refresh', ['true or false']],
])('the refusal of %s names what %s may be', (given, field, allowed) => {
  const detail = `{"storeClientId":"store-1","orderId":"o-1",${given}}`;
  const body = `{"detail-type":"order.document.requested","detail":${detail}}`;
  const parsed = parseIncomingEvent(body, detailTypes, facts);
  expect(parsed).toMatchObject({ ok: false, refusal: { field } });
  for (const value of allowed) expect(parsed.ok ? '' : parsed.refusal.message).toContain(value);
});

test.each([
  ['a time without its offset', '"time":"2026-01-02T08:30:00"', 'time', 'e-1'],
  ['an ID that is too long', `"id":"${'x'.repeat(201)}"`, 'id', 'message-1'],
  ['an ID with half a character', String.raw`"id":"e-\ud800"`, 'id', 'message-1'],
])('the refusal of an event with %s names its store', (_, fact, field, eventId) => {
  const body = `{"id":"e-1",${fact},${bodyOf('"items":[{}]').slice(1)}`;
  const refusal = { field, eventId, storeClientId: 'store-1', detailType: 'stock.changed' };
  expect(parseIncomingEvent(body, detailTypes, facts)).toMatchObject({ ok: false, refusal });
});

test.each(['storeClientId', 'commandId', 'orderId'])('half a character in %s is refused', (field) => {
  const names = { storeClientId: 'store-1', commandId: 'c-1', orderId: 'o-1', [field]: 'x\ud800' };
  const body = JSON.stringify({
    'detail-type': 'order.document.requested',
    detail: { ...names, document: 'invoice' },
  });
  const message = `detail.${field}: must be well-formed text`;
  expect(parseIncomingEvent(body, detailTypes, facts)).toMatchObject({
    ok: false,
    refusal: { field: `detail.${field}`, message },
  });
});

test('the refusal of a time names both forms that a time may have', () => {
  const parsed = parseIncomingEvent(bodyOf('"occurredAt":"yesterday","items":[{}]'), detailTypes, facts);
  const message = 'detail.occurredAt: must be ISO 8601 with its offset from UTC, or epoch milliseconds';
  expect(parsed).toMatchObject({ ok: false, refusal: { message } });
});

test.each(['{"toString":1}', '[1763712000]', 'true'])('a time of another type is refused: %s', (time) => {
  const parsed = parseIncomingEvent(bodyOf(`"occurredAt":${time},"items":[{}]`), detailTypes, facts);
  const message = 'detail.occurredAt: must be ISO 8601 with its offset from UTC, or epoch milliseconds';
  expect(parsed).toMatchObject({ ok: false, refusal: { message } });
});

test('a time in milliseconds that is a text is refused for that', () => {
  const parsed = parseIncomingEvent(bodyOf('"occurredAt":"1763712000000","items":[{}]'), detailTypes, facts);
  const message = 'detail.occurredAt: "1763712000000" is a text: epoch milliseconds must be a number';
  expect(parsed).toMatchObject({ ok: false, refusal: { message } });
});

test('the time of an event has one form, which its refusal names', () => {
  const body = `{"time":1763712000000,${bodyOf('"items":[{}]').slice(1)}`;
  const message = 'time: must be ISO 8601 with its offset from UTC';
  expect(parseIncomingEvent(body, detailTypes, facts)).toMatchObject({ ok: false, refusal: { message } });
});

test.each([
  [1_795_739_688, 'looks like seconds'],
  [46_353, 'looks like days of a spreadsheet'],
  [46_353.35, 'looks like days of a spreadsheet'],
  [20_261_127, 'looks like a date as yyyymmdd'],
  [99, 'is too small for milliseconds'],
  [1_763_712_000_000_000_000, 'looks like nanoseconds'],
])('the time %d is refused: it %s', (time, look) => {
  const parsed = parseIncomingEvent(bodyOf(`"occurredAt":${time},"items":[{}]`), detailTypes, facts);
  expect(parsed).toMatchObject({
    ok: false,
    refusal: { message: expect.stringContaining(`${time} ${look}`) },
  });
});

test.each([
  ['detail.occurredAt', bodyOf('"occurredAt":"0001-01-01T00:00:00Z","items":[{}]')],
  ['time', `{"time":"1969-12-31T23:59:59.999Z",${bodyOf('"items":[{}]').slice(1)}`],
])('a time before 2015 is refused as %s', (field, body) => {
  const message = `${field}: must not be before 2015`;
  expect(parseIncomingEvent(body, detailTypes, facts)).toMatchObject({
    ok: false,
    refusal: { field, message },
  });
});
