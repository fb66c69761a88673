import { expect, test } from 'vitest';
import type { OrderRecord } from '../../../../shared/orders/model.ts';
import { asOtherName, withJoining, withTakenOver } from '../../../../shared/orders/rules/join-orders.ts';

const names = { orderId: 'o-1', invoiceNumber: 'I-1' };
const since = '2026-01-01T00:00:00.000Z';
const decision = { state: 'done', commandId: 'c', attemptId: 'a', startedAt: since } as const;
const byInvoice: OrderRecord = {
  storeClientId: 's',
  orderKey: 'invoiceNumber:I-1',
  invoiceNumber: 'I-1',
  decision,
};
const marked = withJoining(undefined, 's', names, since) as OrderRecord;
const name = asOtherName(byInvoice, marked, 'I-1') as OrderRecord;
const whole = { storeClientId: 's', orderKey: 'orderId:o-1', ...names, decision, joined: ['I-1'] };

test('an order takes over what is kept under its invoice number, which becomes a mere name of it', () => {
  expect(marked).toMatchObject({ orderKey: 'orderId:o-1', joining: { invoiceNumber: 'I-1', since } });
  expect(name).toMatchObject({ orderKey: 'invoiceNumber:I-1', aliasOf: 'orderId:o-1', ...names });
  expect(name).not.toHaveProperty('decision');
  expect(withTakenOver(marked, name)).toEqual(whole);
});

test('what was taken over is not taken over again', () => {
  expect(withTakenOver(whole, name)).toBeUndefined();
  expect(withJoining(whole, 's', names, since)).toBeUndefined();
  expect(asOtherName(name, marked, 'I-1')).toBeUndefined();
});

test('nothing is taken over of a name of another order, now or later', () => {
  const others = { ...name, aliasOf: 'orderId:o-2' };
  const left = withTakenOver(marked, others) as OrderRecord;
  expect(left).toEqual({ storeClientId: 's', orderKey: 'orderId:o-1', orderId: 'o-1', joined: ['I-1'] });
  expect(withJoining(left, 's', names, since)).toBeUndefined();
});
