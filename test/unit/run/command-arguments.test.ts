import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { partOfName, readArguments, wholeNumber } from '../../../local/run/command-arguments.ts';
import packageJson from '../../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../../..');

/** The exit status and the output of a command. */
async function runScript(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const options = { timeout: 60_000, env: { ...process.env, ...env } };
  const run = promisify(execFile)(process.execPath, [join(root, script), ...args], options);
  const ended = await run.then(
    (output) => ({ code: 0, ...output }),
    (failure: Error & { code: number; stdout: string; stderr: string }) => failure,
  );
  return { status: ended.code, output: ended.stdout, errors: ended.stderr.trim().split('\n') };
}

/** The programs of `npm run`, of this repository. */
const programs = Object.entries(packageJson.scripts).flatMap(([script, command]) => {
  const file = /^node ((?:test|local|tools)\/\S+)$/.exec(command)?.[1];
  return file === undefined ? [] : [[script, file] as const];
});

describe('the arguments of a command', () => {
  const options = { seeds: { type: 'string' }, mutants: { type: 'boolean', default: false } } as const;

  test('are read with their defaults', () => {
    expect(readArguments(['--seeds', '5'], options).values).toEqual({ seeds: '5', mutants: false });
  });

  test.each([['--sedes=5'], ['--seeds'], ['5']])(
    'refuse %s in one line that names all options',
    (argument) => {
      expect(() => readArguments([argument], options)).toThrow(
        /^[^\n]+; options: --seeds, --mutants, --help$/,
      );
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
    ['tools/chaos/main.ts', ['--events', 'many'], '--events must be a whole number, at least 1, not "many"'],
    [
      'tools/chaos/main.ts',
      ['--event', '5'],
      "Unknown option '--event'; options: --events, --targets, --seed, --help",
    ],
    ['tools/describe/main.ts', ['all'], "Unexpected argument 'all'; options: --help"],
    ['tools/imports/main.ts', ['--flies'], "Unknown option '--flies'; options: --files, --help"],
    ['tools/bench/main.ts', ['rows', 'nosuch'], 'no bench nosuch; there are: hot-path, '],
    ['tools/cost/main.ts', ['--only', 'nosuch'], '--only "nosuch" is in none of these names: '],
  ])(
    '%s %j',
    async (script, args, line) => {
      const failure = await runScript(script, args);
      expect(failure).toMatchObject({ status: 2, output: '', errors: [expect.stringContaining(line)] });
    },
    60_000,
  );
});

test('npm run sandbox says in one line that SANDBOX_PORT is no port', async () => {
  const failure = await runScript('local/run/sandbox-main.ts', [], { SANDBOX_PORT: '99999' });
  const line = 'SANDBOX_PORT must be a port, 0 (any free one) to 65535, not "99999"';
  expect(failure).toEqual({ status: 1, output: '', errors: [line] });
});

describe('--help says what a script does, and does nothing', () => {
  test('for every script of package.json that is a program of this repository', () => {
    expect(programs.map(([script]) => script)).toEqual(
      expect.arrayContaining([
        'start',
        'sandbox',
        'simulate',
        'chaos',
        'bench',
        'cost',
        'screenshots',
        'describe',
      ]),
    );
  });

  test.each(programs)(
    'npm run %s',
    async (_script, file) => {
      const { status, output, errors } = await runScript(file, ['--help']);
      expect({ status, errors }).toEqual({ status: 0, errors: [''] });
      expect(output).toMatch(/^(npm start|[A-Z][a-z]+s) /);
    },
    60_000,
  );
});
