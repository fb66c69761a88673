import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The projects whose files share modules: `isolate: false` in vitest.config.ts. */
const files = globSync(['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts', 'test/infra/**/*.test.ts']);

test('each test file that mocks modules resets them, so that the next file does not get what was loaded with mocks', () => {
  const mocking = files.filter((file) => /^\s*vi\.(do)?[mM]ock\(/m.test(readFileSync(file, 'utf8')));
  expect(mocking).not.toEqual([]);
  const reset = /^afterAll\(\(\) => void vi\.resetModules\(\)\);$/m;
  expect(mocking.filter((file) => !reset.test(readFileSync(file, 'utf8')))).toEqual([]);
});
