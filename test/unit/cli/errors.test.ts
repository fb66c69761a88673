import { expect, test } from 'vitest';
import { ApiError, CliError, explain, usageError } from '../../../cli/errors.ts';

const named = (name: string, message = 'm') => Object.assign(new Error(message), { name });

test.each([
  ['missing credentials', named('CredentialsProviderError'), 'CREDENTIALS', 4],
  ['an expired session', named('ExpiredTokenException'), 'CREDENTIALS', 4],
  ['a missing permission', named('AccessDeniedException'), 'ACCESS_DENIED', 4],
  ['a refused connection', Object.assign(new Error(''), { code: 'ECONNREFUSED' }), 'UNREACHABLE', 4],
  [
    'a refused connection of fetch',
    new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) }),
    'UNREACHABLE',
    4,
  ],
  ['another error', named('QueueDoesNotExist'), 'QueueDoesNotExist', 1],
  ['wrong arguments', usageError('m'), 'USAGE', 2],
  ['an error of the API', new ApiError('m', { status: 404, code: 'BATCH_UNKNOWN' }), 'BATCH_UNKNOWN', 1],
  ['a refused signature', new ApiError('Forbidden', { status: 403, code: 'FORBIDDEN' }), 'FORBIDDEN', 4],
] as const)('%s has a code and an exit code of its own', (_, error, code, exitCode) => {
  const explained = explain(error);
  expect(explained).toBeInstanceOf(CliError);
  expect(explained).toMatchObject({ code, exitCode });
  expect(explained.message).not.toBe('');
});
