import { expect, test } from 'vitest';
import { orPutOff } from '../../../../shared/commands/use-cases/or-put-off.ts';
import { ConnectorError } from '../../../../shared/errors/connector-error.ts';

const GIVEN = Date.parse('2026-11-21T08:00:00.000Z');

function setUp(body: object) {
  const sent: { body: unknown; delayMs: number }[] = [];
  const again = {
    sendLater: async (text: string, delayMs: number) => void sent.push({ body: JSON.parse(text), delayMs }),
  };
  const message = { messageId: 'message-1', sentAt: GIVEN, body: JSON.stringify(body) };
  const ports = { again, clock: { now: () => GIVEN + 120_000 } };
  return { sent, run: (work: () => Promise<unknown>) => orPutOff(ports, { message, time: GIVEN }, work) };
}

const notConnected = async () => {
  throw new ConnectorError('suspended', { code: 'STORE_NOT_CONNECTED', retryable: true });
};

test('work that is done is not put off', async () => {
  const { run, sent } = setUp({});
  expect(await run(async () => 'done')).toBe('done');
  expect(sent).toEqual([]);
});

test('an event without ID and time keeps those of the message that it first came in', async () => {
  const { run, sent } = setUp({ 'detail-type': 'x', detail: { a: 1 } });
  expect(await run(notConnected)).toMatchObject({ putOff: 'STORE_NOT_CONNECTED' });
  const body = { id: 'message-1', time: '2026-11-21T08:00:00.000Z', 'detail-type': 'x', detail: { a: 1 } };
  expect(sent).toEqual([{ body, delayMs: 30_000 }]);
});

test('an event with its own ID and time keeps them', async () => {
  const own = { id: 'event-1', time: '2026-11-21T07:00:00+01:00', 'detail-type': 'x' };
  const { run, sent } = setUp(own);
  await run(notConnected);
  expect(sent[0]?.body).toEqual(own);
});

test('what waiting does not mend is thrown', async () => {
  const { run, sent } = setUp({});
  await expect(run(() => Promise.reject(new TypeError('mistake')))).rejects.toThrow('mistake');
  expect(sent).toEqual([]);
});
