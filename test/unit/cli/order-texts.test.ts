import { expect, test } from 'vitest';
import { documentText, waitText } from '../../../cli/commands/orders.ts';
// @ts-expect-error The page's modules have no types.
import { documentState, waitingPart } from '../../../cli/console/public/words.js';
import type { OrderWait } from '../../../shared/orders/model.ts';

test.each<[Partial<OrderWait>, string, string]>([
  [{ document: 'shipping-label' }, 'the shipping-label waits: ', 'shipping label'],
  [{ document: 'invoice' }, 'the invoice waits: ', 'invoice'],
  [{}, 'the document waits: ', 'document'],
  [{ detailType: 'order.decision.requested' }, 'the decision waits: ', 'decision'],
])('what waits for an order is named by its document, if that is known: %j', (facts, inList, onPage) => {
  const at = '2026-11-21T08:00:00.000Z';
  const wait: OrderWait = {
    commandId: 'c-1',
    eventId: 'e-1',
    detailType: 'order.document.requested',
    code: 'ORDER_021',
    message: 'not yet',
    since: at,
    at,
    nextAt: at,
    ...facts,
  };
  expect(waitText(wait)).toMatch(new RegExp(`^${inList}`));
  expect(waitingPart(wait)).toBe(onPage);
});

test.each([
  ['stored', 'documents/s-1/o-1/invoice.pdf', false],
  ['failed', 'documents/s-1/o-1/invoice.pdf', true],
  ['failed', undefined, false],
] as const)(
  'a document that is %s, with the key %s, is said to be stored all the same: %s',
  (state, key, isSaid) => {
    const record = {
      state,
      commandId: 'c-1',
      at: '2026-11-21T08:00:00.000Z',
      ...(key !== undefined && { key }),
    };
    for (const text of [documentText(record), documentState(record)]) {
      expect(text).toContain(state);
      expect(text.includes('the earlier PDF is still stored')).toBe(isSaid);
    }
  },
);
