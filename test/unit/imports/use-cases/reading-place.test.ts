import { expect, test } from 'vitest';
import {
  leavePlace,
  MOST_READ_OF_STORE,
  takePlace,
} from '../../../../shared/imports/use-cases/reading-place.ts';
import { inMemoryReadingPlaces } from '../../../doubles/in-memory-reading-places.ts';

const LONG = 300_000;

function setUp() {
  let now = 0;
  const ports = { readingPlaces: inMemoryReadingPlaces(), clock: { now: () => now } };
  return {
    take: (storeClientId: string, importId: string) =>
      takePlace(ports, { storeClientId, importId, until: now + LONG }),
    leave: (storeClientId: string, importId: string) =>
      leavePlace(ports, { storeClientId, importId, until: now + LONG }),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const files = Array.from({ length: MOST_READ_OF_STORE }, (_, index) => `file-${index}`);

test('the files of one store take their places, and leave those of other stores free', async () => {
  const { take, leave } = setUp();
  for (const file of files) expect(await take('s-1', file)).toBe(true);
  expect(await take('s-1', 'one more')).toBe(false);
  expect(await take('s-2', 'one more')).toBe(true);
  await leave('s-1', 'file-0');
  expect(await take('s-1', 'one more')).toBe(true);
});

test('a file is read by one invocation at a time', async () => {
  const { take, leave } = setUp();
  expect(await take('s-1', 'a')).toBe(true);
  expect(await take('s-1', 'a')).toBe(false);
  await leave('s-1', 'a');
  expect(await take('s-1', 'a')).toBe(true);
});

test('the place of an invocation that crashed is free when its time is over', async () => {
  const { take, pass } = setUp();
  for (const file of files) await take('s-1', file);
  pass(LONG - 1);
  expect(await take('s-1', 'b')).toBe(false);
  pass(1);
  expect(await take('s-1', 'b')).toBe(true);
});
