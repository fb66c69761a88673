import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { partOfName, readArguments, wholeNumber } from '../../../local/run/command-arguments.ts';
import packageJson from '../../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../../..');

interface Ended {
  readonly status: number;
  readonly output: string;
  readonly errors: readonly string[];
}

let started = 0;

/** How a program that ends because of its arguments ends. It runs in this process: each of its own would take a second. */
async function runProgram(file: string, args: readonly string[]): Promise<Ended> {
  const [output, errors]: [string[], string[]] = [[], []];
  const endedWith = (status: number): Ended => ({ status, output: output.join('\n'), errors: [...errors] });
  let ended: Ended | undefined;
  vi.spyOn(console, 'log').mockImplementation((line) => void output.push(String(line)));
  vi.spyOn(console, 'error').mockImplementation((line) => void errors.push(String(line)));
  vi.spyOn(process, 'exit').mockImplementation((status) => {
    ended ??= endedWith(Number(status));
    throw new Error('ended');
  });
  const { argv } = process;
  process.argv = [process.execPath, join(root, file), ...args];
  started += 1;
  try {
    // A query of its own: a program may be started more than once.
    await import(`${join(root, file)}?${started}`);
  } catch (error) {
    if (ended === undefined) throw error;
  } finally {
    process.argv = argv;
  }
  ended ??= endedWith(Number(process.exitCode ?? 0));
  process.exitCode = undefined;
  return ended;
}

/** The programs of `npm run`, of this repository. */
const programs = Object.entries(packageJson.scripts).flatMap(([script, command]) => {
  const file = /^node ((?:test|local|sandbox|tools)\/\S+)$/.exec(command)?.[1];
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
  ])('%s %j', async (script, args, line) => {
    const failure = await runProgram(script, args);
    expect(failure).toEqual({ status: 2, output: '', errors: [expect.stringContaining(line)] });
  });
});

test('npm run sandbox says in one line that SANDBOX_PORT is no port', async () => {
  vi.stubEnv('SANDBOX_PORT', '99999');
  const failure = await runProgram('sandbox/main.ts', []);
  const line = 'SANDBOX_PORT must be a port, 0 (any free one) to 65535, not "99999"';
  expect(failure).toEqual({ status: 2, output: '', errors: [line] });
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

  test.each(programs)('npm run %s', async (_script, file) => {
    const { status, output, errors } = await runProgram(file, ['--help']);
    expect({ status, errors }).toEqual({ status: 0, errors: [] });
    expect(output).toMatch(/^(npm start|[A-Z][a-z]+s) /);
  });
});
