import { describe, expect, test } from 'vitest';
import { LOCAL_OUTPUTS } from '../../../cli/target/local-target.ts';
import { HELP, readRunOptions } from '../../../local/run/run-options.ts';

describe('options of the local run', () => {
  test('are a tour, normal output and state in memory by default', () => {
    expect(readRunOptions([])).toEqual({
      exit: false,
      tour: true,
      output: 'normal',
      cdkOut: undefined,
      dataDirectory: undefined,
      outputsFile: LOCAL_OUTPUTS,
    });
  });

  test('are read from the arguments', () => {
    const options = readRunOptions([
      '--exit',
      '--no-tour',
      '--cdk-out',
      'app',
      '--data',
      'dir',
      '--outputs-file',
      'file',
      '--verbose',
    ]);
    expect(options).toEqual({
      exit: true,
      tour: false,
      output: 'verbose',
      cdkOut: 'app',
      dataDirectory: 'dir',
      outputsFile: 'file',
    });
    expect(readRunOptions(['--quiet']).output).toBe('quiet');
  });

  test.each([
    [['--tuor'], "Unknown option '--tuor'"],
    [['tour'], "Unexpected argument 'tour'"],
    [['--data'], "Option '--data <value>' argument missing"],
    [['--exit=1'], "Option '--exit' does not take an argument"],
  ])('%j is refused in one line that lists the options', (args, problem) => {
    const message = messageOf(() => readRunOptions(args));
    expect(message).toBe(
      `${problem}; options: --exit, --no-tour, --cdk-out, --data, --outputs-file, --verbose, --quiet, --help`,
    );
  });

  test.each([
    [{ npm_config_tour: '' }, '--no-tour'],
    [{ npm_config_exit: 'true' }, '--exit'],
    [{ npm_config_data: 'x' }, '--data DIR'],
    [{ npm_config_outputs_file: 'x' }, '--outputs-file FILE'],
  ])('%j, an option that npm took, is refused with the right command', (environment, option) => {
    expect(messageOf(() => readRunOptions([], environment))).toBe(
      `npm took ${option} for its own option: use npm start -- ${option}`,
    );
  });

  test('--verbose and --quiet together are refused', () => {
    expect(messageOf(() => readRunOptions(['--quiet', '--verbose']))).toContain('exclude each other');
  });

  test('are all described by --help, within 100 columns', () => {
    for (const option of [
      '--exit',
      '--no-tour',
      '--data',
      '--outputs-file',
      '--verbose',
      '--quiet',
      '--help',
    ])
      expect(HELP).toContain(`  ${option}`);
    for (const line of HELP.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });
});

function messageOf(call: () => unknown): string | undefined {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}
