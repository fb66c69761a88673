import { expect, test } from 'vitest';
import { type IncomingDetailType, incomingDetailSchemas } from '../../../shared/events/incoming.ts';
import { parseIncomingEvent } from '../../../shared/events/parse-incoming-event.ts';

const detailTypes = Object.keys(incomingDetailSchemas) as IncomingDetailType[];
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
