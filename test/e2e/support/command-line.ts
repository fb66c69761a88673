import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';

/** The bundle that the set-up of the tests makes. */
export const commandLineScript = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  '.build',
  'command-line',
  'main.mjs',
);

export interface CommandResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line, as processes of its own in a folder with the outputs of a local run. */
export interface CommandLine extends AsyncDisposable {
  /** The folder in which commands run. */
  readonly folder: string;
  run(args: string, options?: RunOptions): Promise<CommandResult>;
  /**
   * Runs a command with `--json`.
   *
   * @throws Error if it fails
   */
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  json(args: string, options?: RunOptions): Promise<any>;
}

export interface RunOptions {
  readonly input?: string;
  readonly environment?: NodeJS.ProcessEnv;
}

/**
 * @param options.script file of the command line; default the bundle
 * @param options.node the Node.js that runs it; default the one of this process
 */
export async function createCommandLine(
  run: ConnectorRun,
  options: { script?: string; node?: string } = {},
): Promise<CommandLine> {
  const folder = await mkdtemp(join(tmpdir(), 'command-line-'));
  const outputs = join(folder, 'outputs.json');
  await writeFile(outputs, JSON.stringify({ MarketplaceConnector: run.local.outputs }));

  async function start(args: readonly string[], { input = '', environment = {} }: RunOptions) {
    const child = spawn(options.node ?? process.execPath, [options.script ?? commandLineScript, ...args], {
      cwd: folder,
      env: { ...process.env, FORCE_COLOR: undefined, NODE_OPTIONS: '', ...environment },
    });
    child.stdin.end(input);
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { exitCode, stdout, stderr };
  }

  const withOutputs = (args: string) => [
    ...args.split(' '),
    ...(/--(stack|outputs)/.test(args) ? [] : ['--outputs', outputs]),
  ];
  return {
    folder,
    run: (args, given = {}) => start(withOutputs(args), given),
    json: async (args, given = {}) => {
      const { exitCode, stdout, stderr } = await start([...withOutputs(args), '--json'], given);
      if (exitCode !== 0) throw new Error(`${args}: exit code ${exitCode}: ${stderr}`);
      return JSON.parse(stdout);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
