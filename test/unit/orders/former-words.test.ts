import { expect, test } from 'vitest';
import {
  actionStateSchema,
  inStoredWords,
  orderRecordSchema,
  orderResolutionSchema,
} from '../../../shared/orders/model.ts';

const action = { commandId: 'c-1', recordId: 'r-1', startedAt: '2026-01-01T00:00:00.000Z' };
const lock = { holder: 's-1', until: 1 };

test('a stored order that says done or refused is read as accepted or rejected', () => {
  const resolution = { at: action.startedAt, outcome: 'refused' };
  const order = {
    storeClientId: 's-1',
    orderKey: 'orderId:1',
    decision: { ...action, state: 'done' },
    dropoff: { ...action, state: 'sending', lock, before: { ...action, state: 'refused', resolution } },
  };
  expect(orderRecordSchema.parse(order)).toMatchObject({
    decision: { state: 'accepted' },
    dropoff: { state: 'sending', before: { state: 'rejected', resolution: { outcome: 'rejected' } } },
  });
});

test('a call may say done or refused for accepted or rejected', () => {
  expect(['done', 'refused', 'accepted'].map((word) => orderResolutionSchema.parse(word))).toEqual([
    'accepted',
    'rejected',
    'accepted',
  ]);
  expect(actionStateSchema.parse('refused')).toBe('rejected');
  expect(orderResolutionSchema.safeParse('retry').success).toBe(false);
});

test('an order is stored in the words that earlier versions read', () => {
  const resolution = { at: action.startedAt, outcome: 'refused' };
  const stored = {
    storeClientId: 's-1',
    orderKey: 'orderId:1',
    decision: { ...action, state: 'done' },
    dropoff: { ...action, state: 'sending', lock, before: { ...action, state: 'refused', resolution } },
  };
  expect(inStoredWords(orderRecordSchema.parse(stored))).toEqual(stored);
  const unknown = { ...stored, decision: { ...action, state: 'unknown' } };
  expect(inStoredWords(orderRecordSchema.parse(unknown))).toEqual(unknown);
});
