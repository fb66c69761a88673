import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Failure, failure } from './failure.ts';
import { createLineSplitter, type LineSplitter } from './lines.ts';
import type { InvokeMessage, ProcessMessage } from './messages.ts';

/** The program of a function's process, beside this module or beside the bundle that contains it. */
const BOOTSTRAP = fileURLToPath(new URL(`./bootstrap${extname(import.meta.url)}`, import.meta.url));
/** Lambda's limit on loading a function. */
const INIT_TIMEOUT_MS = 10_000;

export interface FunctionProcessOptions {
  assetDirectory: string;
  environment: Record<string, string>;
  memoryMb: number;
  /** Receives each line of output, with the invocation during which it was written. */
  onLine(stream: 'stdout' | 'stderr', message: string, requestId: string | undefined): void;
}

/** How an invocation ended; the payload is JSON. */
type Outcome = Failure | { ok: true; payload: string };

interface Invocation {
  requestId: string;
  settle(outcome: Outcome): void;
}

/** One execution environment of a function: a process that loads the handler. */
export class FunctionProcess {
  readonly #child: ChildProcess;
  readonly #output: { stdout: LineSplitter; stderr: LineSplitter };
  readonly #loaded = Promise.withResolvers<Failure | undefined>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #loadTimer: NodeJS.Timeout;
  #alive = true;
  #current: Invocation | undefined;

  constructor(options: FunctionProcessOptions) {
    this.#output = {
      stdout: createLineSplitter((line) => options.onLine('stdout', line, this.#current?.requestId)),
      stderr: createLineSplitter((line) => options.onLine('stderr', line, this.#current?.requestId)),
    };
    this.#child = fork(BOOTSTRAP, {
      cwd: options.assetDirectory,
      // Ctrl-C signals the terminal's whole process group. Detached, a function is ended only by the run.
      detached: true,
      env: options.environment,
      execArgv: [`--max-old-space-size=${options.memoryMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    // The function's output arrives as messages; only Node itself writes here: warnings and fatal errors.
    this.#child.stdout?.setEncoding('utf8').on('data', this.#output.stdout.push);
    this.#child.stderr?.setEncoding('utf8').on('data', this.#output.stderr.push);
    this.#child.on('message', (message: ProcessMessage) => this.#receive(message));
    this.#child.on('error', (error) => this.#finishLoading(failure('Runtime.StartError', error.message)));
    this.#child.on('close', (code, signal) => this.#close(code, signal));
    this.#loadTimer = setTimeout(() => {
      this.#finishLoading(
        failure('Sandbox.Timedout', `Init timed out after ${INIT_TIMEOUT_MS / 1000} seconds`),
      );
      this.kill();
    }, INIT_TIMEOUT_MS);
  }

  /** Resolves when the handler is loaded, or to the reason why it can't be. Never rejects. */
  get loaded(): Promise<Failure | undefined> {
    return this.#loaded.promise;
  }

  /** Resolves when the process and its output have ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Runs one invocation and kills the process at its deadline. Must not be called again before it has resolved. */
  run(invocation: InvokeMessage): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const started = Date.now();
    let timeout: Failure | undefined;
    const timer = setTimeout(() => {
      timeout = timeoutOf(invocation, started);
      this.kill();
    }, invocation.deadline - started);
    this.#current = {
      requestId: invocation.requestId,
      settle: (outcome) => {
        clearTimeout(timer);
        this.#current = undefined;
        resolve(timeout ?? outcome);
      },
    };
    // A process that has just died can't be written to; its end settles the invocation.
    this.#child.send(invocation, () => {});
    return promise;
  }

  /** Sends SIGKILL: the running invocation fails as when Lambda loses a sandbox. */
  kill(): void {
    this.#alive = false;
    this.#child.kill('SIGKILL');
  }

  #receive(message: ProcessMessage): void {
    switch (message.kind) {
      case 'output':
        this.#output[message.stream].push(message.text);
        break;
      case 'ready':
        this.#finishLoading(undefined);
        break;
      case 'init-failed':
        this.#finishLoading(failure(message.error.errorType, message.error.errorMessage));
        this.kill();
        break;
      case 'result':
        this.#finish(message.requestId, { ok: true, payload: message.payload });
        break;
      case 'failed':
        this.#finish(message.requestId, failure(message.error.errorType, message.error.errorMessage));
        break;
    }
  }

  #finishLoading(refused: Failure | undefined): void {
    clearTimeout(this.#loadTimer);
    this.#loaded.resolve(refused);
  }

  #finish(requestId: string | undefined, outcome: Outcome): void {
    this.#output.stdout.flush();
    this.#output.stderr.flush();
    if (requestId === this.#current?.requestId) this.#current?.settle(outcome);
  }

  #close(code: number | null, signal: NodeJS.Signals | null): void {
    this.#alive = false;
    const exit =
      signal === null ? `exit status ${code}` : `signal: ${signal === 'SIGKILL' ? 'killed' : signal}`;
    this.#finishLoading(failure('Runtime.ExitError', `Runtime exited during init: ${exit}`));
    const id = this.#current?.requestId;
    this.#finish(
      id,
      failure('Runtime.ExitError', `RequestId: ${id} Error: Runtime exited with error: ${exit}`),
    );
    this.#ended.resolve();
  }
}

function timeoutOf({ requestId, deadline }: InvokeMessage, started: number): Failure {
  const seconds = ((deadline - started) / 1000).toFixed(2);
  return failure(
    'Sandbox.Timedout',
    `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`,
  );
}
