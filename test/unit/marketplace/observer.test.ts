import { expect, test } from 'vitest';
import { TransportError } from '../../../shared/marketplace/errors.ts';
import type { Attempt, AttemptEnd } from '../../../shared/marketplace/options.ts';
import { answer, clientAnswering, NOW, refusal, STORE } from './fake-transport.ts';

const ITEMS = { items: [{ sku: 'A-1', stock: 5 }] };
const SENT = { method: 'PATCH', path: '/partner/stores/inventory', attempt: 1 };
const batch = () => answer(200, { success: true, requestId: 'r-2', data: { batchId: 'b-1' } });

/** Updates stock, with these answers; gives what the observer got to know. */
async function observed(answers: Parameters<typeof clientAnswering>[0], now = () => NOW) {
  const sent: Attempt[] = [];
  const ended: (Attempt & AttemptEnd)[] = [];
  const observer = {
    onSent: (attempt: Attempt) => void sent.push(attempt),
    onEnded: (attempt: Attempt, end: AttemptEnd) => void ended.push({ ...attempt, ...end }),
  };
  const { client } = clientAnswering(answers, { observer, clock: { now } });
  await client.updateStocks(STORE, ITEMS).catch(() => undefined);
  return { sent, ended };
}

test('the observer gets to know a request that is accepted, with its IDs and its duration', async () => {
  let time = NOW;
  const { sent, ended } = await observed([batch()], () => {
    time += 10;
    return time;
  });
  expect(sent).toEqual([SENT]);
  expect(ended).toEqual([
    { ...SENT, outcome: 'accepted', status: 200, requestId: 'r-2', batchId: 'b-1', durationMs: 10 },
  ]);
});

test.each([
  ['refused', refusal(400, 'VAL_001'), { status: 400, code: 'VAL_001', requestId: 'r-1' }],
  ['unknown', refusal(504, 'SYS_UPS_001'), { status: 504, code: 'SYS_UPS_001', requestId: 'r-1' }],
  ['unknown', new TransportError('timeout', 'no answer', { sent: true }), { code: 'TIMEOUT' }],
  [
    'not-sent',
    new TransportError('connectFailed', 'no connection', { sent: false }),
    { code: 'CONNECT_FAILED' },
  ],
])('the observer gets to know a request whose outcome is %s', async (outcome, failure, facts) => {
  const { ended } = await observed([failure]);
  expect(ended).toEqual([expect.objectContaining({ ...SENT, outcome, ...facts })]);
});

test('the observer gets to know each attempt of a request that is sent again', async () => {
  const { sent, ended } = await observed([refusal(401, 'AUTH_010'), batch()]);
  expect(sent.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(ended.map(({ outcome }) => outcome)).toEqual(['refused', 'accepted']);
});

test('the observer gets an ID of an answer cut off, as it may have any length', async () => {
  const ended: AttemptEnd[] = [];
  const observer = { onSent: () => {}, onEnded: (_: Attempt, end: AttemptEnd) => void ended.push(end) };
  const pagination = { page: 1, limit: 50, total: 0, totalPages: 0, hasNext: false, hasPrev: false };
  const page = answer(200, { success: true, requestId: 'r'.repeat(5000), data: [], pagination });
  await clientAnswering([page], { observer }).client.listProducts(STORE);
  expect(ended[0]?.requestId).toBe('r'.repeat(1000));
});
