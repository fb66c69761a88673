import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { until } from '../../../local/run/until.ts';

const scripts = {
  start: join(import.meta.dirname, '..', '..', '..', 'local', 'run', 'main.ts'),
  sandbox: join(import.meta.dirname, '..', '..', '..', 'sandbox', 'main.ts'),
};

/** `npm start -- …` or `npm run sandbox` as a process of its own, with what it writes to either output. */
export interface StartCommand extends AsyncDisposable {
  readonly process: ChildProcess;
  output(): string;
  /** The output, once it matches. */
  until(pattern: RegExp, withinMs?: number): Promise<RegExpExecArray>;
  /** Exit status; null when a signal ended it. */
  ended(): Promise<number | null>;
}

/** @param environment variables besides this process's own; ports are free ones unless given */
export function startCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  script: keyof typeof scripts = 'start',
): StartCommand {
  const ports = { LOCAL_AWS_PORT: '0', LOCAL_API_PORT: '0', SANDBOX_PORT: '0' };
  const child = spawn(process.execPath, [scripts[script], ...args], {
    // The colours that the test runner asks for are not its own.
    env: { ...process.env, FORCE_COLOR: undefined, ...ports, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const closed = once(child, 'close');
  return {
    process: child,
    output: () => output,
    until: (pattern, withinMs = 60_000) =>
      until(`${pattern} in the output`, () => pattern.exec(output) ?? undefined, { withinMs }).catch(
        (error: unknown) => {
          throw new Error(`${String(error)}\n${output}`);
        },
      ),
    ended: async () => (await closed)[0],
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
