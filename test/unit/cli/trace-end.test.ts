import { expect, test } from 'vitest';
import { hasEnded, hasFailed } from '../../../cli/events/trace-end.ts';
import type { TraceStep } from '../../../shared/trace/model.ts';

const step = (what: TraceStep['what'], facts: Partial<TraceStep> = {}): TraceStep => ({
  at: '2026-11-22T15:00:00.000Z',
  storeClientId: 's',
  what,
  ...facts,
});
const value = { target: 'sku:A', register: 'stock' };

test.each([
  ['was taken only', [step('event.taken')], false],
  ['waits', [step('event.taken'), step('value.waiting', { outcome: 'open' })], false],
  ['was sent and not answered', [step('value.sent', value)], false],
  [
    'has an answer',
    [step('value.sent', value), step('value.settled', { ...value, outcome: 'accepted' })],
    true,
  ],
  [
    'has an answer for one of two products',
    [
      step('value.sent', value),
      step('value.settled', { ...value, outcome: 'accepted' }),
      step('value.sent', { ...value, target: 'sku:B' }),
    ],
    false,
  ],
  ['was replaced by a newer value', [step('value.desired', { outcome: 'superseded' })], true],
  ['waits for a final summary', [step('request.ended'), step('batch.submitted', { outcome: 'open' })], false],
  ['was rejected', [step('row.rejected')], true],
] as const)('an event that %s has ended: %#', (_, steps, expected) => {
  expect(hasEnded(steps)).toBe(expected);
});

test('an event has failed if a part of it was rejected, and not if all of it was accepted', () => {
  expect(hasFailed([step('value.settled', { outcome: 'accepted' })])).toBe(false);
  expect(hasFailed([step('value.settled', { outcome: 'rejected' })])).toBe(true);
  expect(hasFailed([step('row.rejected')])).toBe(true);
});
