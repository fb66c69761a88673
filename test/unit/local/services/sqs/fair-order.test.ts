import { expect, test } from 'vitest';
import { nextInFairOrder } from '../../../../../local/aws/services/sqs/fair-order.ts';

interface Message {
  readonly id: string;
  readonly messageGroupId?: string;
}

/** `count` messages of a group. */
const of = (messageGroupId: string, count: number): Message[] =>
  Array.from({ length: count }, (_, n) => ({ id: `${messageGroupId}-${n}`, messageGroupId }));
/** `count` messages without a group. */
const alone = (count: number): Message[] => Array.from({ length: count }, (_, n) => ({ id: `alone-${n}` }));

function next(waiting: readonly Message[], inFlight: readonly Message[], most = 10): string[] {
  return nextInFairOrder(waiting, inFlight, most).map(({ id }) => id);
}

test('messages are handed out in the order of arrival while no group has 30 in flight', () => {
  const waiting = [...of('flood', 3), ...of('quiet', 1)];
  expect(next(waiting, of('flood', 29))).toEqual(['flood-0', 'flood-1', 'flood-2', 'quiet-0']);
});

test('messages of other groups come first from 30 in flight of a group on, each group in its own order', () => {
  const waiting = [...of('flood', 2), ...of('quiet', 2), ...of('other', 1)];
  const expected = ['quiet-0', 'quiet-1', 'other-0', 'flood-0', 'flood-1'];
  expect(next(waiting, of('flood', 30))).toEqual(expected);
});

test('a group with 30 in flight is no noisy neighbour while it has a tenth of all', () => {
  const waiting = [...of('flood', 1), ...of('quiet', 1)];
  const others = (count: number) => Array.from({ length: count }, (_, n) => of(`other-${n}`, 1)).flat();
  expect(next(waiting, [...of('flood', 30), ...others(270)])).toEqual(['flood-0', 'quiet-0']);
  expect(next(waiting, [...of('flood', 30), ...others(269)])).toEqual(['quiet-0', 'flood-0']);
});

test('each message without a group is a group of its own', () => {
  const waiting = [...alone(1), ...of('quiet', 1)];
  expect(next(waiting, alone(100))).toEqual(['alone-0', 'quiet-0']);
  expect(next([...of('flood', 1), ...alone(1)], of('flood', 30))).toEqual(['alone-0', 'flood-0']);
});

test('of noisy groups, the one with the fewest in flight comes first', () => {
  const waiting = [...of('loudest', 2), ...of('loud', 1)];
  expect(next(waiting, [...of('loudest', 60), ...of('loud', 40)])).toEqual([
    'loud-0',
    'loudest-0',
    'loudest-1',
  ]);
});

test('a receive takes as many as it asks for', () => {
  expect(next([...of('flood', 5), ...of('quiet', 1)], of('flood', 30), 2)).toEqual(['quiet-0', 'flood-0']);
  expect(next(of('flood', 5), [], 2)).toEqual(['flood-0', 'flood-1']);
});
