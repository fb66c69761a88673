import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { partOfName, readArguments, wholeNumber } from '../../run/command-arguments.ts';

const root = join(import.meta.dirname, '../../..');

/** The exit status and the lines of errors of a command that has to fail. */
async function failureOf(script: string, ...args: string[]) {
  const run = promisify(execFile)(process.execPath, [join(root, script), ...args], { timeout: 60_000 });
  const error = await run.then(
    () => undefined,
    (failure: Error & { code: number; stdout: string; stderr: string }) => failure,
  );
  return error && { status: error.code, output: error.stdout, errors: error.stderr.trim().split('\n') };
}

describe('the arguments of a command', () => {
  const options = { seeds: { type: 'string' }, mutants: { type: 'boolean', default: false } } as const;

  test('are read with their defaults', () => {
    expect(readArguments(['--seeds', '5'], options).values).toEqual({ seeds: '5', mutants: false });
  });

  test.each([['--sedes=5'], ['--seeds'], ['5']])(
    'refuse %s in one line that names all options',
    (argument) => {
      expect(() => readArguments([argument], options)).toThrow(/^[^\n]+; options: --seeds, --mutants$/);
    },
  );

  test.each(['', 'abc', '-1', '1.5', '1e3', '0', '9'.repeat(20)])(
    'refuse %j as a number of seeds',
    (text) => {
      expect(() => wholeNumber('seeds', text)).toThrow(
        `--seeds must be a whole number, at least 1, not "${text}"`,
      );
    },
  );

  test('take 0 as the number of a seed', () => {
    expect(wholeNumber('seed', '0', 0)).toBe(0);
  });

  test('refuse a part of a name that no name has, and name all of them', () => {
    expect(partOfName('scenario', 'or', ['orders', 'drift'])).toBe('or');
    expect(() => partOfName('scenario', 'order s', ['orders', 'drift'])).toThrow(
      '--scenario "order s" is in none of these names: orders, drift',
    );
  });
});

describe('a command that would do nothing ends with status 2 and one line', () => {
  test.each([
    ['test/simulation/main.ts', ['--seeds', 'abc'], '--seeds must be a whole number, at least 1, not "abc"'],
    ['test/simulation/main.ts', ['--seed', 'x'], '--seed must be a whole number, at least 0, not "x"'],
    ['test/simulation/main.ts', ['--scenario', 'nosuch'], '--scenario "nosuch" is in none of these names: '],
    ['test/simulation/main.ts', ['--mutant', 'nosuch'], '--mutant "nosuch" is in none of these names: '],
    ['test/chaos/main.ts', ['--events', 'many'], '--events must be a whole number, at least 1, not "many"'],
    ['test/chaos/main.ts', ['--help'], "Unknown option '--help'; options: --events, --targets, --seed"],
    ['test/bench/main.ts', ['rows', 'nosuch'], 'no bench nosuch; there are: hot-path, '],
    ['test/cost/main.ts', ['--only', 'nosuch'], '--only "nosuch" is in none of these names: '],
  ])(
    '%s %j',
    async (script, args, line) => {
      const failure = await failureOf(script, ...args);
      expect(failure).toMatchObject({ status: 2, output: '', errors: [expect.stringContaining(line)] });
    },
    60_000,
  );
});
