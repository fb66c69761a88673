import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { InvocationResult } from '../model.ts';
import { createLineSplitter } from './lines.ts';
import type { InvokeMessage, ProcessMessage } from './messages.ts';

const BOOTSTRAP = fileURLToPath(new URL('./bootstrap.ts', import.meta.url));
/** Lambda's limit on loading a function. */
const INIT_TIMEOUT_MS = 10_000;

export type Failure = Extract<InvocationResult, { ok: false }>;

export interface FunctionProcessOptions {
  assetDirectory: string;
  environment: Record<string, string>;
  memoryMb: number;
  /** One line of output, with the invocation during which it was written. */
  onLine(stream: 'stdout' | 'stderr', message: string, requestId: string | undefined): void;
}

/** One execution environment: a process that has loaded the function, or will have. */
export interface FunctionProcess {
  /** Resolves when the handler is loaded, or to the reason why it can't be. Never rejects. */
  readonly loaded: Promise<Failure | undefined>;
  /** Resolves when the process and its output have ended. */
  readonly ended: Promise<void>;
  /**
   * Runs one invocation; not to be called again before it has resolved. At the deadline the process is killed.
   * The payload of an `ok` result is JSON.
   */
  run(invocation: InvokeMessage): Promise<Failure | { ok: true; payload: string }>;
  alive(): boolean;
  /** SIGKILL: the invocation under way fails as it does when Lambda loses a sandbox. */
  kill(): void;
}

type Outcome = Failure | { ok: true; payload: string };

/** Starts a process of its own for a function and has it load its handler. */
export function startFunctionProcess(options: FunctionProcessOptions): FunctionProcess {
  const child = fork(BOOTSTRAP, {
    cwd: options.assetDirectory,
    env: options.environment,
    execArgv: [`--max-old-space-size=${options.memoryMb}`],
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const load = Promise.withResolvers<Failure | undefined>();
  const end = Promise.withResolvers<void>();
  let alive = true;
  let current: { requestId: string; settle(outcome: Outcome): void } | undefined;

  const output = {
    stdout: createLineSplitter((line) => options.onLine('stdout', line, current?.requestId)),
    stderr: createLineSplitter((line) => options.onLine('stderr', line, current?.requestId)),
  };
  // Node itself writes here: warnings, and what it says when it dies.
  child.stdout?.setEncoding('utf8').on('data', output.stdout.push);
  child.stderr?.setEncoding('utf8').on('data', output.stderr.push);

  const loadTimer = setTimeout(() => {
    load.resolve(failure('Sandbox.Timedout', `Init timed out after ${INIT_TIMEOUT_MS / 1000} seconds`));
    kill();
  }, INIT_TIMEOUT_MS);
  load.promise.then(() => clearTimeout(loadTimer));

  child.on('message', (message: ProcessMessage) => {
    if (message.kind === 'output') return output[message.stream].push(message.text);
    if (message.kind === 'ready') return load.resolve(undefined);
    if (message.kind === 'init-failed') {
      load.resolve(failure(message.error.errorType, message.error.errorMessage));
      return kill();
    }
    if (message.requestId !== current?.requestId) return;
    output.stdout.flush();
    output.stderr.flush();
    if (message.kind === 'result') return current.settle({ ok: true, payload: message.payload });
    return current.settle(failure(message.error.errorType, message.error.errorMessage));
  });
  child.on('error', (error) => load.resolve(failure('Runtime.StartError', error.message)));
  child.on('close', (code, signal) => {
    alive = false;
    output.stdout.flush();
    output.stderr.flush();
    const exit =
      signal === null ? `exit status ${code}` : `signal: ${signal === 'SIGKILL' ? 'killed' : signal}`;
    load.resolve(failure('Runtime.ExitError', `Runtime exited during init: ${exit}`));
    const id = current?.requestId;
    current?.settle(
      failure('Runtime.ExitError', `RequestId: ${id} Error: Runtime exited with error: ${exit}`),
    );
    end.resolve();
  });

  function kill(): void {
    alive = false;
    child.kill('SIGKILL');
  }

  return {
    loaded: load.promise,
    ended: end.promise,
    run: (invocation) => {
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      const started = Date.now();
      let timedOut = false;
      const timer = setTimeout(() => {
        timedOut = true;
        kill();
      }, invocation.deadline - started);
      current = {
        requestId: invocation.requestId,
        settle: (outcome) => {
          clearTimeout(timer);
          current = undefined;
          resolve(timedOut ? timeoutOf(invocation, started) : outcome);
        },
      };
      post(child, invocation);
      return promise;
    },
    alive: () => alive,
    kill,
  };
}

/** A process that has just died can't be written to; its `close` event settles the invocation. */
function post(child: ChildProcess, message: InvokeMessage): void {
  child.send(message, () => {});
}

function timeoutOf({ requestId, deadline }: InvokeMessage, started: number): Failure {
  const seconds = ((deadline - started) / 1000).toFixed(2);
  return failure(
    'Sandbox.Timedout',
    `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`,
  );
}

export function failure(errorType: string, errorMessage: string): Failure {
  return { ok: false, errorType, errorMessage };
}
