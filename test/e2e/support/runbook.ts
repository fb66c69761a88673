import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LocalRun } from '../../../local/aws/index.ts';
import { parseJson } from '../../../shared/collections/parse-json.ts';
import { commandLineScript } from './command-line.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const pathOfRunbook = join(root, 'docs', 'runbook.md');
const awsCli = join(import.meta.dirname, 'aws-cli.ts');

/** The runbook's procedures, whose commands are run as they are written. */
export interface Runbook {
  /**
   * Runs the one command of a procedure that starts so.
   *
   * @param variables what the command's `$…` stand for
   * @returns what it prints, read as JSON if it is; `isRefused`: an error of the HTTP API, or of the command line
   */
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  run(procedure: string, start: string, variables?: Variables): Promise<{ isRefused: boolean; body: any }>;
  /** The commands that were not run yet, by procedure. */
  left(): Readonly<Record<string, readonly string[]>>;
}

type Variables = Readonly<Record<string, string>>;

/** Exit status of curl where the server answers with an error, and of the command line where the stack refuses. */
const REFUSED: ReadonlySet<number> = new Set([22, 1]);

export async function readRunbook({
  endpoint,
  region,
  adminCredentials,
  outputs,
}: LocalRun): Promise<Runbook> {
  const outputsFile = join(await mkdtemp(join(tmpdir(), 'runbook-')), 'outputs.json');
  await writeFile(outputsFile, JSON.stringify({ MarketplaceConnector: outputs }, null, 2));
  const text = await readFile(pathOfRunbook, 'utf8');
  // As on a deployed stack, but for the addresses of the local run.
  const preamble = `. docs/shell.sh\naws() { "$NODE" "$AWS_CLI" "$@"; }\nconnector() { "$NODE" "$CLI" "$@" --outputs "$OUTPUTS"; }\n`;
  const [, procedures = ''] = text.split(/^## Procedures$/m);
  const left = new Map(
    procedures
      .split(/^### /m)
      .slice(1)
      .map((section) => [section.split('\n')[0] ?? '', blocksOf(section).flatMap(linesOf)]),
  );
  const all = new Map([...left].map(([procedure, commands]) => [procedure, [...commands]]));

  return {
    async run(procedure, start, variables = {}) {
      const [command, ...others] = (all.get(procedure) ?? []).filter((one) => `${one}\n`.startsWith(start));
      if (command === undefined || others.length > 0)
        throw new Error(`${procedure}: not one command starts with ${start}`);
      left.set(
        procedure,
        (left.get(procedure) ?? []).filter((one) => one !== command),
      );
      const env = {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        NODE: process.execPath,
        AWS_CLI: awsCli,
        CLI: commandLineScript,
        OUTPUTS: outputsFile,
        AWS_REGION: region,
        AWS_ACCESS_KEY_ID: adminCredentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: adminCredentials.secretAccessKey,
        AWS_ENDPOINT_URL: endpoint,
        ...variables,
      };
      const { code, stdout } = await runInShell(`${preamble}${command}`, env);
      return { isRefused: code !== 0, body: parseJson(stdout) ?? stdout };
    },
    left: () => Object.fromEntries([...left].filter(([, commands]) => commands.length > 0)),
  };
}

async function runInShell(script: string, env: Variables | NodeJS.ProcessEnv) {
  try {
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env, cwd: root, timeout: 60_000 });
    return { code: 0, stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    if (!REFUSED.has(code)) throw new Error(`exit status ${code}: ${stderr}`, { cause: error });
    return { code, stdout };
  }
}

function blocksOf(text: string): string[] {
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/** The commands of a block, one a line. */
function linesOf(block: string): string[] {
  return block.split('\n').filter((line) => line !== '');
}
