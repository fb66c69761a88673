import type { Command } from 'commander';
import { type GlobalOptions, outputWith } from '../context.ts';
import { usageError } from '../errors.ts';
import { addCommand } from '../help.ts';
import { hasNode24, runOnNode24 } from '../programs/node-24.ts';
import { programFile, runProgram } from '../programs/run-program.ts';

type Options = Readonly<Record<string, string | boolean>>;

/** Adds `local`, whose options are those of the program that it runs. */
export function addLocal(program: Command): void {
  addCommand(
    program,
    'local',
    'run the stack on this machine, with the sandbox and a guided tour (docs/local-run.md)',
    ['local --exit', 'local --cdk-out cdk.out --no-tour'],
  )
    .option('--exit', 'end after the tour: code 0 if every comparison holds')
    .option('--no-tour', 'skip the tour')
    .option(
      '--cdk-out <dir>',
      "run the stack of your own CDK app, synthesized into this folder (default: this package's)",
    )
    .option(
      '--data <dir>',
      'keep the state of tables, queues and buckets in this folder (default: in memory)',
    )
    .option('--outputs-file <file>', 'write the stack outputs to this file (default: .local/outputs.json)')
    .option('--verbose', "show the functions' logs and the stacks of errors")
    .option('--quiet', 'show failures only')
    .action((options: Options, command: Command) => runLocal(options, command.optsWithGlobals()));
}

/** Options that choose a stack: a run is a stack of its own. */
const OF_OTHER_STACKS = ['local', 'outputs', 'stack', 'region', 'profile'] as const;

async function runLocal(options: Options, globals: GlobalOptions): Promise<void> {
  const given = OF_OTHER_STACKS.filter((name) => globals[name] !== undefined);
  if (given.length > 0)
    throw usageError(
      `local starts a stack: leave out ${given.map((name) => `--${name}`).join(', ')}`,
      '--outputs-file says where its outputs are written.',
    );
  const args = argumentsOf(options);
  if (hasNode24()) return runProgram('local', args);
  const { terminal } = outputWith(globals);
  process.exitCode = await runOnNode24(programFile('local'), args, (text) => terminal.note(text));
}

/** The options as they were given: `--name`, `--no-name`, or `--name=value`. */
function argumentsOf(options: Options): string[] {
  const words = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return Object.entries(options).flatMap(([name, value]) => {
    if (name === 'tour') return value === false ? ['--no-tour'] : [];
    return value === true ? [`--${words(name)}`] : [`--${words(name)}=${value}`];
  });
}
