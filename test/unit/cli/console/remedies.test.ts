import { describe, expect, test } from 'vitest';
import { type ShownRemedy, shownRemedies } from '../../../../cli/console/data/remedies.ts';
import { allowedCall } from '../../../../cli/console/security/api-routes.ts';
import type { Attention } from '../../../../shared/attention/model.ts';
import {
  describeContested,
  describeDeadLetters,
  describeHeldImport,
  describeHeldPrices,
  describeRestored,
  describeStop,
  describeSuspendedStore,
  describeUnknownOrder,
  describeUnmatchedSummary,
  describeUnresolvedBatch,
} from '../../../../shared/attention/rules/describe.ts';

const since = '2026-11-27T01:02:00.000Z';
const context = { target: { options: [] }, program: 'connector' } as unknown as Parameters<
  typeof shownRemedies
>[1];
const remediesOf = (entry: Attention | undefined): ShownRemedy[] =>
  entry === undefined ? [] : shownRemedies(entry, context);
/** Records with the fields that the entries are made from. */
const facts = <T>(record: object): T => record as T;

const hold = { since, reason: 'many' };
const unknown = { state: 'unknown', startedAt: since, endedAt: since, decision: 'accept' };
const batch = { batchId: 'b 1', storeClientId: 's', submittedAt: since, rows: { unknown: 1, sent: 2 } };
const ENTRIES: Readonly<Record<string, Attention | undefined>> = {
  'restored tables': describeRestored('tables', Date.parse(since)),
  'a suspended store': describeSuspendedStore(
    facts({ storeClientId: 's 1', updatedAt: since, stateReason: 'AUTH_014' }),
  ),
  'held prices': describeHeldPrices(facts({ storeClientId: 's', hold })),
  'a contested listing': describeContested(
    facts({ storeClientId: 's', target: 'sku:A', registers: { price: { contestedSince: since } } }),
  ),
  'a held file': describeHeldImport(facts({ importId: 'i', storeClientId: 's', key: 'k', full: { hold } })),
  'a file whose numbers are held': describeHeldImport(
    facts({ importId: 'i', storeClientId: 's', key: 'k', numbers: { hold } }),
  ),
  'an unknown order': describeUnknownOrder(
    facts({ storeClientId: 's', orderId: 'o 1', decision: unknown }),
    Date.parse(since) + 3_600_000,
  )[0],
  'an unresolved batch of products': describeUnresolvedBatch(facts({ ...batch, kind: 'catalog-sync' })),
  'an unresolved batch of dropoffs': describeUnresolvedBatch(facts({ ...batch, kind: 'dropoff' })),
  'an unmatched summary': describeUnmatchedSummary(facts(batch)),
};
const own = /^\/(stores\/[^/]+\/token|dead-letters\/[^/]+\/redrive)$/;

describe('the remedies of', () => {
  test.each(Object.keys(ENTRIES))(
    '%s have a button for a call that the console takes, and a command',
    (name) => {
      const remedies = remediesOf(ENTRIES[name]);
      expect(remedies.length).toBeGreaterThan(0);
      for (const { button, command, text } of remedies) {
        expect(text).not.toBe('');
        expect(command).toMatch(/^connector /);
        expect(button?.label).toMatch(/^[A-Z]/);
        const { path = '' } = button ?? {};
        expect(own.test(path) || allowedCall('POST', path.slice('/api'.length)) !== undefined).toBe(true);
      }
    },
  );
});

test('a suspended store takes a new token first, which is asked for and is in no command', () => {
  const [token, resume] = remediesOf(ENTRIES['a suspended store']);
  expect(token).toMatchObject({
    name: 'rotate-token',
    button: { path: '/stores/s%201/token', body: {}, asks: 'storeToken' },
    command: expect.stringMatching(/^connector stores rotate 's 1' --token-file -/),
  });
  expect(resume).toMatchObject({ name: 'resume', button: { path: '/api/stores/s%201/resume', body: {} } });
});

test('an unknown order has three equal choices, each after a question', () => {
  const reference = { orderId: 'o 1', action: 'decision' };
  const buttons = remediesOf(ENTRIES['an unknown order']).map(({ button }) => button);
  expect(buttons).toMatchObject([
    { label: 'It was done', body: { ...reference, outcome: 'accepted' }, asks: 'reason' },
    { label: 'It was not done', body: { ...reference, outcome: 'rejected' }, asks: 'reason' },
    { label: 'Try again', path: '/api/stores/s/orders/retry', body: reference },
  ]);
  expect(buttons.every((button) => button?.question?.includes('looked it up'))).toBe(true);
});

test('dead letters are redriven by their queue; those to delete are chosen where they are read', () => {
  const arns = { arn: 'arn:aws:sqs:eu-west-1:1:Dead', queueArn: 'arn:aws:sqs:eu-west-1:1:Queue' };
  const remedies = remediesOf(describeDeadLetters({ ...arns, messages: 2 } as never, Date.parse(since)));
  expect(remedies).toMatchObject([
    { name: 'redrive', button: { label: 'Redrive', path: '/dead-letters/Dead/redrive', body: {} } },
    { name: 'delete' },
  ]);
  expect(remedies[1]?.button).toBeUndefined();
});

test('a refused partner has the command only: the secret is no matter of the page', () => {
  const stop = { code: 'AUTH_010', message: 'Invalid signature', since: Date.parse(since), retryAt: 0 };
  expect(remediesOf(describeStop(stop, 'arn:secret'))).toMatchObject([
    { name: 'put-secret', command: expect.stringMatching(/^aws secretsmanager/) },
  ]);
});
