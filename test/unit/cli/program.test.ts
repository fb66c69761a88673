import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../../cli/program.ts';
import { commandsOf } from '../../../tools/describe/pages/command-table.ts';

function helpOf(command: Command): string {
  let text = '';
  command
    .configureOutput({
      writeOut: (part) => {
        text += part;
      },
    })
    .outputHelp();
  return text;
}

const commands = commandsOf(createProgram())
  .filter(({ words }) => words !== 'complete')
  .map(({ words, command }) => [words, command] as const);

test.each(commands)(
  '%s describes itself, with examples and the options of every command',
  (words, command) => {
    const help = helpOf(command);
    expect(command.description()).not.toBe('');
    expect(help).toContain('Examples:');
    expect(help).toContain(` ${words}`);
    for (const option of ['--stack', '--region', '--profile', '--local', '--json', '--yes'])
      expect(help).toContain(option);
  },
);

test.each(commands)('%s names the default of an option once', (_, command) => {
  const options = helpOf(command)
    .replaceAll(/\s+/g, ' ')
    .split(/ (?=--?[a-z])/);
  expect(options.filter((option) => option.match(/[( ]default\b/g)?.length === 2)).toEqual([]);
});

test.each(commands)('%s has examples whose options it reads', (_, command) => {
  const known = new Set(
    [...command.options, ...createProgram().options].flatMap(({ long, short }) => [long, short]),
  );
  const [, shown = ''] = helpOf(command).split('Examples:');
  const used = shown.match(/(?<= )--?[a-z][a-z-]*/g) ?? [];
  expect(used.filter((option) => !known.has(option))).toEqual([]);
});

test.each(commands)('%s has no example that reads standard input and asks there too', (_, command) => {
  const [, shown = ''] = helpOf(command).split('Examples:');
  const reading = shown.split('\n').filter((line) => line.includes(' < '));
  expect(reading.filter((line) => !line.includes(' --yes '))).toEqual([]);
});

test('the help names every exit code', () => {
  expect(helpOf(createProgram())).toMatch(/Exit codes:\n {2}0 {2}done\n {2}1 /);
});

test.each([
  ['a part of a command', ['tri'], 'trigger'],
  ['a part of an argument', ['trigger', 'stock'], 'stock.changed'],
  ['a part of a command of commands', ['dlq', 're'], 'redrive'],
])('%s is completed', async (_, words, completed) => {
  const main = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [main, 'complete', '--', ...words]);
  expect(stdout.split('\n').map((line) => line.split('\t')[0])).toContain(completed);
});

test.each([
  ['an unknown choice', ['batches', 'list', '--state', 'x'], /Allowed choices are submitted/],
  ['a missing command', ['batches'], /no command was given/],
  ['a port that there is not', ['console', '--port', '65536'], /must be a port, 0 .* to 65535/],
])('%s is an error as JSON with --json', async (_, words, message) => {
  const main = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');
  const refused = await promisify(execFile)(process.execPath, [main, ...words, '--json']).catch(
    (error) => error,
  );
  expect({ code: refused.code, ...JSON.parse(refused.stderr) }).toEqual({
    code: 2,
    error: { code: 'USAGE', message: expect.stringMatching(message), hint: '--help shows what is possible.' },
  });
});

test('local, which starts a stack, refuses the options that choose one', async () => {
  const parse = createProgram().parseAsync(['node', 'x', 'local', '--outputs', 'x', '--stack', 'Shop']);
  await expect(parse).rejects.toThrow(/^local starts a stack: leave out --outputs, --stack$/);
});

test('the exit code of a failure does not change when its message has no reader', async () => {
  const main = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');
  const child = spawn(process.execPath, [main, 'status', '--outputs', 'no-such-file'], { stdio: 'pipe' });
  child.stderr.destroy();
  expect(await once(child, 'close')).toEqual([2, null]);
});

test.each([
  [['--scenario', 'no-such'], /^--scenario "no-such" is in none of these names: .*\nUSAGE: /],
  [['--seeds', 'many'], /whole number/],
])('simulate refuses %j as the simulation does', async (options, message) => {
  const main = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');
  const run = promisify(execFile)(process.execPath, [main, 'simulate', ...options]);
  const refused = await run.catch((error) => error);
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
});

test('the region is that of AWS_DEFAULT_REGION, as for the AWS CLI', async () => {
  const main = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');
  const noCredentials = { HOME: '/no-such', AWS_EC2_METADATA_DISABLED: 'true' };
  const env = { PATH: process.env.PATH, ...noCredentials, AWS_DEFAULT_REGION: 'eu-north-1' };
  const run = promisify(execFile)(process.execPath, [main, 'preflight', '--json'], { env });
  const { stdout } = await run.catch((error) => error);
  expect(JSON.parse(stdout)).toContainEqual({ check: 'region', state: 'ok', message: 'eu-north-1' });
});

test('simulate runs the simulation with its options', async () => {
  const main = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');
  const options = ['--seed', '7', '--scenario', 'documents'];
  const { stdout } = await promisify(execFile)(process.execPath, [main, 'simulate', ...options]);
  expect(stdout).toContain('seed 7: no violation');
});
