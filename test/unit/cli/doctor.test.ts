import { expect, test } from 'vitest';
import { clockFinding } from '../../../cli/doctor/checks.ts';

const date = 'Sun, 22 Nov 2026 15:00:00 GMT';
const at = Date.parse(date);

test.each([
  ['right', at + 1000, 'ok'],
  ['a minute ahead', at + 60_000, 'warning'],
  ['ten minutes behind', at - 600_000, 'fault'],
])('a clock that is %s is found as it is', (_, now, state) => {
  expect(clockFinding(date, now)).toMatchObject({ state });
});

test('an API without a time leaves the clock unchecked', () => {
  expect(clockFinding(null, at)).toMatchObject({ state: 'warning' });
});
