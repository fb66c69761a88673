import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { explainTimestamp } from '../../../../sandbox/explanation/explain-timestamp.ts';

const NOW = 1_767_225_600_000;

function explain(timestamp: string | undefined, secretKey = 'secret') {
  const headers = {
    'x-partner-client-id': 'p',
    ...(timestamp === undefined ? {} : { 'x-timestamp': timestamp }),
  };
  const base = ['GET', '/partner/a', ...Object.entries(headers).map(([name, value]) => `${name}:${value}`)];
  const text = [...base, createHash('sha256').digest('hex')].join('\n');
  const signature = `sha256=${createHmac('sha256', secretKey).update(text).digest('hex')}`;
  const request = { method: 'GET', path: '/api/v1/partner/a', headers, body: new Uint8Array() };
  return explainTimestamp({ request, signature, secretKey: 'secret' }, NOW);
}

test.each([NOW, NOW - 300_000, NOW + 300_000])(
  'a timestamp within 300 seconds has no explanation: %i',
  (time) => {
    expect(explain(String(time))).toBeUndefined();
  },
);

test.each<[string, string | undefined, RegExp]>([
  ['none', undefined, /^The x-timestamp header is missing\.$/],
  ['seconds', '1767225600', /in seconds; it must be in milliseconds/],
  ['microseconds', '1767225600000000', /in microseconds/],
  ['nanoseconds', '1767225600000000000', /in nanoseconds/],
  ['a date', '2026-01-01T00:00:00Z', /must be an integer/],
  ['a fraction', '1767225600000.5', /must be an integer/],
  ['an old one', String(NOW - 301_000), /301 seconds behind the server's clock/],
  ['one from the future', String(NOW + 600_000), /600 seconds ahead of the server's clock/],
])('a wrong timestamp is named: %s', (_, timestamp, sentence) => {
  expect(explain(timestamp)?.sentence).toMatch(sentence);
});

test('both base strings are shown where the signature fits the timestamp that was sent', () => {
  const explanation = explain('1767225600');
  expect(explanation?.signed).toContain('x-timestamp:1767225600\n');
  expect(explanation?.expected).toContain('x-timestamp:1767225600000\n');
});

test('only the right base string is shown where what was signed is unknown', () => {
  expect(explain(undefined, 'another secret')).toMatchObject({
    signed: null,
    expected: expect.stringContaining(`x-timestamp:${NOW}\n`),
  });
});
