import { expect, test } from 'vitest';
import { faultsThatStruck } from '../../../tools/chaos/disturb.ts';

test('faultsThatStruck counts the requests that met a fault, by its kind', () => {
  const faults = [null, { drop: 'after' }, { status: 503, code: 'SYS_DEP_503' }, null, { drop: 'after' }];
  expect(faultsThatStruck(faults.map((fault) => ({ fault })))).toEqual({
    'drop after': 2,
    'status 503, code SYS_DEP_503': 1,
  });
  expect(faultsThatStruck([{ fault: null }])).toEqual({});
});
