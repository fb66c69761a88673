import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../local/run/until.ts';

/** What a command in a session did. */
export interface CommandResult {
  readonly printed: string;
  readonly errors: string;
  readonly exitCode: number;
  /** HTTP status of the last answer that curl got; `undefined` where there was none. */
  readonly status: number | undefined;
}

/** A shell into which the commands of a page are pasted one after the other; variables and functions stay. */
export interface ShellSession extends AsyncDisposable {
  /** A folder of its own, which is removed at the end. */
  readonly scratch: string;
  run(command: string): Promise<CommandResult>;
}

/** An example may start the command line several times, and each start takes seconds on a busy machine. */
const WITHIN_MS = 100_000;

/**
 * Starts a shell in a folder. Its curl also keeps the headers of the answers, for their status.
 *
 * @param environment beside PATH and HOME
 */
export async function startShell(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ShellSession> {
  const scratch = await mkdtemp(join(tmpdir(), 'shell-session-'));
  const headers = join(scratch, 'headers');
  const { PATH = '', HOME = '' } = process.env;
  const shell = spawn('bash', ['--norc', '--noprofile'], {
    cwd: folder,
    env: { PATH, HOME, CURL_HOME: scratch, ...environment },
  });
  const printed = collect(shell, 'stdout');
  const errors = collect(shell, 'stderr');
  const mark = `END-OF-${scratch.slice(-6)}`;
  shell.stdin.write(`curl() { command curl --dump-header '${headers}' "$@"; }\n`);

  return {
    scratch,
    async run(command) {
      await rm(headers, { force: true });
      shell.stdin.write(`${command}\nprintf '%s %s\\n' '${mark}' "$?"; echo '${mark}' >&2\n`);
      const end = new RegExp(`${mark} (\\d+)\n`);
      const exit = await until(
        `the end of: ${command}`,
        async () => {
          if (shell.exitCode !== null) throw new Error(`the shell ended: ${errors.text}`);
          return errors.text.includes(mark) ? (end.exec(printed.text) ?? undefined) : undefined;
        },
        { withinMs: WITHIN_MS },
      );
      const result = {
        printed: printed.take().replace(end, ''),
        errors: errors.take().replace(`${mark}\n`, ''),
        exitCode: Number(exit[1]),
      };
      const seen = await readFile(headers, 'utf8').catch(() => '');
      const status = [...seen.matchAll(/^HTTP\/\S+ (\d{3})/gm)].at(-1)?.[1];
      return { ...result, status: status === undefined ? undefined : Number(status) };
    },
    async [Symbol.asyncDispose]() {
      const ended = once(shell, 'exit');
      if (shell.exitCode === null && shell.kill('SIGKILL')) await ended;
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

function collect(shell: ChildProcess, stream: 'stdout' | 'stderr') {
  const collected = {
    text: '',
    take: () => {
      const { text } = collected;
      collected.text = '';
      return text;
    },
  };
  shell[stream]?.setEncoding('utf8').on('data', (chunk: string) => {
    collected.text += chunk;
  });
  return collected;
}
