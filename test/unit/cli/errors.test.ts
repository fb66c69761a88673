import { expect, test, vi } from 'vitest';
import { ApiError, answerFactsOf, CliError, explain, usageError } from '../../../cli/errors.ts';
import { forEach } from '../../../cli/for-each.ts';

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
  ['a bad port of fetch', new TypeError('fetch failed', { cause: new Error('bad port') }), 'UNREACHABLE', 4],
  [
    'a refused connection whose cleaning up fails too',
    Object.assign(named('SuppressedError'), { suppressed: named('E', 'connect ECONNREFUSED 127.0.0.1:1') }),
    'UNREACHABLE',
    4,
  ],
  ['a full disk', Object.assign(new Error('no space'), { code: 'ENOSPC' }), 'ENOSPC', 1],
  ['another error', named('QueueDoesNotExist'), 'QueueDoesNotExist', 1],
  ['wrong arguments', usageError('m'), 'USAGE', 2],
  [
    'arguments that the API refuses',
    new ApiError('m', { status: 400, code: 'REQUEST_INVALID' }),
    'REQUEST_INVALID',
    2,
  ],
  ['an error of the API', new ApiError('m', { status: 404, code: 'BATCH_UNKNOWN' }), 'BATCH_UNKNOWN', 1],
  ['a refused signature', new ApiError('Forbidden', { status: 403, code: 'FORBIDDEN' }), 'FORBIDDEN', 4],
] as const)('%s has a code and an exit code of its own', (_, error, code, exitCode) => {
  const explained = explain(error);
  expect(explained).toBeInstanceOf(CliError);
  expect(explained).toMatchObject({ code, exitCode });
  expect(explained.message).not.toBe('');
});

test.each([
  ['cloudformation.nowhere-1.amazonaws.com', 'Is the region right, and is there a network?'],
  ['api.partner.example', 'Is the local run up (`marketplace-connector local`), or the network?'],
])('a host that is not found has a hint for what it is: %s', (host, hint) => {
  vi.stubEnv('npm_lifecycle_event', undefined);
  const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' });
  expect(explain(error).hint).toBe(hint);
  vi.unstubAllEnvs();
});

test('a refused connection of fetch names the address', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:4567'), { code: 'ECONNREFUSED' });
  expect(explain(new TypeError('fetch failed', { cause })).message).toBe(
    'cannot reach the stack: connect ECONNREFUSED 127.0.0.1:4567',
  );
});

test('of several, the one that failed is said to be unchanged, and not all of them', async () => {
  const facts = { status: 409, code: 'ORDER_NOT_UNKNOWN', hint: 'Nothing was changed.' };
  const error = await forEach(['one', 'other'], async (name) => {
    if (name === 'other') throw new ApiError('it is accepted', facts);
  }).catch(explain);
  expect(error).toMatchObject({
    message: 'other: it is accepted; done before: one',
    hint: 'Of other nothing was changed.',
  });
});

test('what the API answered to one of several calls is part of the error, whether it had an effect too', async () => {
  const answered = {
    status: 503,
    code: 'SYS_DEP_503',
    requestId: 'r-1',
    changed: 'unknown',
    retryAfter: 2,
  } as const;
  const calls = forEach(['one', 'other'], async (name) => {
    if (name === 'other') throw new ApiError('try again', answered);
  });
  const error = await calls.catch(explain);
  expect(error).toMatchObject({ message: 'other: try again (request r-1); done before: one' });
  const { code: _, ...facts } = answered;
  expect(answerFactsOf(error)).toEqual(facts);
  expect(answerFactsOf(usageError('m'))).toEqual({});
});
