import { expect, test } from 'vitest';
import { withIdentity } from '../../../shared/events/parse-incoming-event.ts';

const identity = { id: 'message-1', time: Date.UTC(2026, 10, 22), receivedAt: Date.UTC(2026, 10, 23) };
const firstReceivedAt = '2026-11-23T00:00:00.000Z';

test.each([
  ['gives an event without an ID and a time both', '{"detail":{}}', 'message-1', '2026-11-22T00:00:00.000Z'],
  ['keeps the ID of an event', '{"id":"own","detail":{}}', 'own', '2026-11-22T00:00:00.000Z'],
  ['keeps the time of an event', ' {"detail":{},"time":"own"}', 'message-1', 'own'],
])('withIdentity %s', (_, body, id, time) => {
  expect(JSON.parse(withIdentity(body, identity))).toEqual({ id, time, firstReceivedAt, detail: {} });
});

test('withIdentity does not change an event that has an identity', () => {
  const once = withIdentity('{"detail":{"items":[1]}}', identity);
  expect(withIdentity(once, { id: 'message-2', time: 0, receivedAt: 0 })).toBe(once);
});

test('withIdentity accepts an event that nests 5,000 deep', () => {
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  const body = `{"detail":{"items":[${deep}]}}`;
  expect(withIdentity(body, identity)).toBe(
    `{"id":"message-1","time":"2026-11-22T00:00:00.000Z","firstReceivedAt":"${firstReceivedAt}",${body.slice(1)}`,
  );
});
