import { expect, test } from 'vitest';
import { misspelledName } from '../../../shared/collections/misspelled-name.ts';

const KNOWN = ['storeClientId', 'occurredAt', 'commandId'];

test.each([
  ['occuredAt', 'occurredAt'],
  ['ocurredAt', 'occurredAt'],
  ['occurred_at', 'occurredAt'],
  ['OccurredAt', 'occurredAt'],
  ['command-id', 'commandId'],
  ['comandID', 'commandId'],
])('%s is taken for a misspelled %s', (given, meant) => {
  expect(misspelledName({ storeClientId: 's', [given]: 1 }, KNOWN)).toEqual({ given, meant });
});

test('a field of another name is none, and neither is one beside the field that it looks like', () => {
  expect(misspelledName({ occurredOn: 1, command: 2, source: 3 }, KNOWN)).toBeUndefined();
  expect(misspelledName({ occurredAt: 1, occurred_at: 2 }, KNOWN)).toBeUndefined();
});
