import { expect, test } from 'vitest';
import { actionsOf } from '../../../../cli/console/data/way-out-call.ts';
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
  ['import-held', 'POST /imports/i/release', '/api/imports/i/release', {}],
  [
    'listing-contested',
    'POST /stores/s/drift/repair {"targets":["sku:A"]}',
    '/api/stores/s/drift/repair',
    { targets: ['sku:A'] },
  ],
  ['summary-unmatched', 'POST /summaries/b/discard', '/api/summaries/b/discard', {}],
] as const)('the button of %s calls %s, which the console passes on', (kind, call, path, body) => {
  expect(actionsOf({ kind, call })[0]).toMatchObject({
    label: expect.stringMatching(/^[A-Z]/),
    path,
    body,
  });
  expect(allowedCall('POST', path.slice('/api'.length))).toBeDefined();
});

test('the button of dead letters redrives their queue', () => {
  const call =
    'aws sqs start-message-move-task --source-arn arn:aws:sqs:eu-west-1:1:Dead --destination-arn arn:aws:sqs:eu-west-1:1:Queue';
  expect(actionsOf({ kind: 'dead-letters', call })).toEqual([
    { label: 'Redrive', path: '/dead-letters/Dead/redrive', body: {} },
  ]);
});

test('a refused partner has no button: the secret is no matter of the page', () => {
  const call = "aws secretsmanager put-secret-value --secret-id arn --secret-string '{}'";
  expect(actionsOf({ kind: 'partner-refused', call })).toEqual([]);
});

test.each([
  ['prices-held', 'POST /stores/s/release', '/api/stores/s/discard', { what: 'prices' }],
  ['import-held', 'POST /imports/release/release', '/api/imports/release/discard', {}],
] as const)('what is held by %s can be discarded by a second button', (kind, call, path, body) => {
  expect(actionsOf({ kind, call })[1]).toMatchObject({ path, body, question: expect.any(String) });
  expect(allowedCall('POST', path.slice('/api'.length))).toBeDefined();
});
