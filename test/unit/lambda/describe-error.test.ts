import { Logger } from '@aws-lambda-powertools/logger';
import { expect, test, vi } from 'vitest';
import { ConnectorError } from '../../../shared/errors/connector-error.ts';
import { describeError } from '../../../shared/lambda/observability.ts';
import { MarketplaceError } from '../../../shared/marketplace/errors.ts';

test('describeError shows name, code and reason of a failure and its causes, and nothing else', () => {
  const cause = new TypeError('fetch failed', {
    cause: Object.assign(new Error('reset'), { code: 'RESET' }),
  });
  const failure = new ConnectorError('not sent', { code: 'NOT_SENT', cause, details: { queueUrl: 'u' } });
  expect(describeError(failure)).toEqual({
    error: 'ConnectorError',
    reason: 'not sent',
    code: 'NOT_SENT',
    cause: {
      error: 'TypeError',
      reason: 'fetch failed',
      cause: { error: 'Error', reason: 'reset', code: 'RESET' },
    },
  });
});

test('describeError shows no request data and no stack', () => {
  const request = { headers: { 'x-store-token': 'token-1' } };
  const cause = Object.assign(new Error('cut'), { request });
  const options = { code: 'CONNECTION_CUT', message: 'cut', outcome: 'unknown', retryable: true } as const;
  const said = JSON.stringify(describeError(new MarketplaceError({ ...options, cause })));
  expect(said).not.toContain('token-1');
  expect(said).not.toContain('describe-error.test');
});

test('describeError cuts the texts of others, as those of an error of zod with a fault for each element', () => {
  const long = 'x'.repeat(2_000_000);
  const failure = new Error(long, { cause: Object.assign(new Error(long), { code: long }) });
  const cut = 'x'.repeat(1000);
  const cause = { error: 'Error', reason: cut, code: cut };
  expect(describeError(failure)).toEqual({ error: 'Error', reason: cut, cause });
  expect(describeError(long)).toEqual({ error: cut });
});

test('describeError shows a thrown value that is not an error', () => {
  expect(describeError('gone')).toEqual({ error: 'gone' });
});

test('a log line holds everything that describeError returns', () => {
  const lines: string[] = [];
  const write = vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line));
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  const failure = new ConnectorError('not sent', { code: 'NOT_SENT' });
  new Logger().error('a part failed', describeError(failure));
  vi.unstubAllEnvs();
  write.mockRestore();
  expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ message: 'a part failed', ...describeError(failure) });
});
