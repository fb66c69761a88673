import { afterEach, expect, test, vi } from 'vitest';
import { environment } from '../../../shared/settings/environment.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('a setting is read from its variable when it is used', () => {
  vi.stubEnv('PAGE_SIZE', '60');
  expect(environment.pageSize).toBe(60);
});

test.each([undefined, '', 'many'])(
  'a setting whose variable is %j is refused by the name of the variable',
  (value) => {
    vi.stubEnv('PAGE_SIZE', value);
    expect(() => environment.pageSize).toThrow(
      expect.objectContaining({ code: 'ENVIRONMENT_INVALID', message: expect.stringContaining('PAGE_SIZE') }),
    );
  },
);
