import { describe, expect, test } from 'vitest';
import { pauseBeforeRetry } from '../../../../shared/commands/rules/pause-before-retry.ts';
import { ConnectorError } from '../../../../shared/errors/connector-error.ts';
import { MarketplaceError } from '../../../../shared/marketplace/errors.ts';

const notConnected = new ConnectorError('suspended', { code: 'STORE_NOT_CONNECTED', retryable: true });
const failed = (options: Partial<ConstructorParameters<typeof MarketplaceError>[0]>) =>
  new MarketplaceError({ code: 'ANY', message: 'any', outcome: 'refused', retryable: false, ...options });
const DAY_MS = 24 * 3_600_000;

describe('pauseBeforeRetry', () => {
  test.each([
    [0, 15_000],
    [120_000, 30_000],
    [30 * DAY_MS, 600_000],
  ])('lets a command of the age of %d ms wait for its store for %d ms more', (age, pause) => {
    expect(pauseBeforeRetry(notConnected, age)).toBe(pause);
  });

  test('lets a command wait for a marketplace that fails, for a day', () => {
    for (const error of [failed({ retryable: true }), failed({ outcome: 'unknown' })]) {
      expect(pauseBeforeRetry(error, DAY_MS - 1)).toBe(600_000);
      expect(pauseBeforeRetry(error, DAY_MS)).toBeUndefined();
    }
  });

  test.each([
    ['a final refusal', failed({ code: 'AUTH_010' })],
    [
      'a failure of our own',
      new ConnectorError('written too often', { code: 'WRITE_CONTENTION', retryable: true }),
    ],
    ['a mistake', new TypeError('undefined is not a function')],
  ])('does not put %s off', (_, error) => {
    expect(pauseBeforeRetry(error, 0)).toBeUndefined();
  });
});
