import { expect, test } from 'vitest';
import { entryOutcome, readEntries } from '../../../../../local/aws/services/eventbridge/put-events.ts';

const now = Date.UTC(2026, 0, 2);
const entry = { Source: 'erp', DetailType: 'stock.changed', Detail: '{"a":1}' };

function outcomes(...Entries: object[]): unknown[] {
  return readEntries({ Entries }).map((one) => entryOutcome(one, now));
}

test('an entry becomes an event on the bus that it names, by name or ARN', () => {
  expect(
    outcomes({ ...entry, EventBusName: 'arn:aws:events:us-east-1:000000000000:event-bus/shop' }),
  ).toMatchObject([
    {
      bus: 'shop',
      event: {
        source: 'erp',
        'detail-type': 'stock.changed',
        detail: { a: 1 },
        time: '2026-01-02T00:00:00Z',
      },
    },
  ]);
});

test('an entry keeps its time', () => {
  expect(outcomes({ ...entry, Time: 1_700_000_000 })).toMatchObject([
    { event: { time: '2023-11-14T22:13:20Z' } },
  ]);
});

test.each([
  ['without a source', { ...entry, Source: undefined }, 'InvalidArgument'],
  ['without a detail type', { ...entry, DetailType: '' }, 'InvalidArgument'],
  ['without a detail', { ...entry, Detail: undefined }, 'InvalidArgument'],
  ['whose detail is not JSON', { ...entry, Detail: 'no' }, 'MalformedDetail'],
  ['whose detail is not an object', { ...entry, Detail: '[1]' }, 'MalformedDetail'],
  ['in the name of AWS', { ...entry, Source: 'aws.s3' }, 'NotAuthorizedForSourceException'],
])('an entry %s fails alone', (_name, faulty, code) => {
  expect(outcomes(faulty, entry)).toMatchObject([{ code }, { bus: 'default' }]);
});

test('entries with more than 1 MB together are refused as a whole', () => {
  const half = { ...entry, Detail: JSON.stringify({ text: 'x'.repeat(512 * 1024) }) };
  expect(() => readEntries({ Entries: [half] })).not.toThrow();
  expect(() => readEntries({ Entries: [half, half] })).toThrow('over the limit');
});

test.each([[[]], [Array.from({ length: 11 }, () => entry)]])(
  '%#: a request without 1 to 10 entries is refused',
  (Entries) => {
    expect(() => readEntries({ Entries })).toThrow();
  },
);
