import { expect, test } from 'vitest';
import { waitText } from '../../../cli/commands/orders.ts';
// @ts-expect-error The page's modules have no types.
import { waitingPart } from '../../../cli/console/public/words.js';
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
