import { expect, test } from 'vitest';
import { type IncomingDetailType, incomingDetailSchemas } from '../../../shared/events/incoming.ts';
import { parseIncomingEvent } from '../../../shared/events/parse-incoming-event.ts';

const detailTypes = Object.keys(incomingDetailSchemas) as IncomingDetailType[];
const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;

test.each(detailTypes)('%s that nests 5,000 deep is refused, and throws nothing', (detailType) => {
  const body = `{"detail-type":"${detailType}","detail":{"storeClientId":"store-1","items":[{"sku":${deep}}]}}`;
  const parsed = parseIncomingEvent(body, detailTypes, { messageId: 'message-1', sentAt: 0 });
  expect(parsed).toMatchObject({ ok: false, refusal: { code: 'EVENT_INVALID', eventId: 'message-1' } });
});
