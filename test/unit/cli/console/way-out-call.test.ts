import { expect, test } from 'vitest';
import { actionOf } from '../../../../cli/console/data/way-out-call.ts';
import { allowedCall } from '../../../../cli/console/security/api-routes.ts';

test.each([
  ['store-suspended', 'POST /stores/s%201/resume', '/api/stores/s%201/resume', {}],
  ['prices-held', 'POST /stores/s/release', '/api/stores/s/release', {}],
  [
    'order-unknown',
    'POST /stores/s/orders/resolve {"orderId":"o 1","action":"decision","outcome":"done"}',
    '/api/stores/s/orders/resolve',
    { orderId: 'o 1', action: 'decision', outcome: 'done' },
  ],
  ['batch-unresolved', 'POST /batches/b/read-back', '/api/batches/b/read-back', {}],
  [
    'batch-unresolved',
    'POST /batches/b/resolve {"rest":"accepted"}',
    '/api/batches/b/resolve',
    { rest: 'accepted' },
  ],
  ['summary-unmatched', 'POST /summaries/b/discard', '/api/summaries/b/discard', {}],
] as const)('the button of %s calls %s, which the console passes on', (kind, call, path, body) => {
  expect(actionOf({ kind, call })).toMatchObject({ label: expect.stringMatching(/^[A-Z]/), path, body });
  expect(allowedCall('POST', path.slice('/api'.length))).toBeDefined();
});

test('the button of dead letters redrives their queue', () => {
  const call =
    'aws sqs start-message-move-task --source-arn arn:aws:sqs:eu-west-1:1:Dead --destination-arn arn:aws:sqs:eu-west-1:1:Queue';
  expect(actionOf({ kind: 'dead-letters', call })).toEqual({
    label: 'Redrive',
    path: '/dead-letters/Dead/redrive',
    body: {},
  });
});

test('a refused partner has no button: the secret is no matter of the page', () => {
  const call = "aws secretsmanager put-secret-value --secret-id arn --secret-string '{}'";
  expect(actionOf({ kind: 'partner-refused', call })).toBeUndefined();
});
