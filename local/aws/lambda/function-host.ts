import { randomBytes, randomUUID } from 'node:crypto';
import type { Credentials, FunctionDefinition, InvocationResult, Log, LogLine } from '../model.ts';
import { functionEnvironment } from './environment.ts';
import { type Failure, failure } from './failure.ts';
import { FunctionProcess } from './function-process.ts';
import { createSlots } from './slots.ts';

/** Lambda's limit on an event and on a response: 6 MB, plus some bytes for the envelope. */
const LARGEST_PAYLOAD_BYTES = 6 * 1024 * 1024 + 100;
const LOG_LINES_KEPT = 10_000;

export interface FunctionHostOptions {
  definition: FunctionDefinition;
  /** A new session of the function's role, for each process. */
  credentials(): Credentials;
  /** Base URL of the local AWS. */
  endpoint: string;
  region: string;
  log: Log;
  /** How many processes the function may have on this machine (default 4); further invocations wait for one. */
  maximumProcesses?: number;
}

export interface FunctionHost {
  /**
   * Invokes the function with an event in a warm process, or in a new one when all are busy. Never rejects: a
   * failure of any kind, from a thrown error to a killed process, is a result.
   */
  invoke(event: unknown): Promise<InvocationResult>;
  /** Kills every process of the function, as when Lambda loses its sandboxes. Returns false when there was no process. */
  kill(): boolean;
  /** Ends every process and refuses further invocations. */
  stop(): Promise<void>;
  /** The newest lines of output, oldest first. */
  logs(): LogLine[];
  /** Invocations under way, waiting ones included. */
  running(): number;
}

/**
 * Hosts one Lambda function: keeps its processes, and gives each of them one invocation at a time. Unlike in Lambda, a
 * process is not frozen between invocations, so work that a handler leaves running continues.
 */
export function createFunctionHost(options: FunctionHostOptions): FunctionHost {
  const { definition } = options;
  const reserved = definition.reservedConcurrency ?? Number.POSITIVE_INFINITY;
  const slots = createSlots(Math.max(1, Math.min(reserved, options.maximumProcesses ?? 4)));
  const processes = new Set<FunctionProcess>();
  const warm: FunctionProcess[] = [];
  const lines: LogLine[] = [];
  let running = 0;
  let stopped = false;

  function start(): FunctionProcess {
    const session = {
      credentials: options.credentials(),
      endpoint: options.endpoint,
      region: options.region,
      logStreamName: `local/[$LATEST]${randomBytes(16).toString('hex')}`,
    };
    const started = new FunctionProcess({
      assetDirectory: definition.assetDirectory,
      environment: functionEnvironment(definition, session),
      memoryMb: definition.memoryMb,
      onLine: (stream, message, requestId) => {
        const line = { time: Date.now(), source: definition.name, stream, message };
        record(requestId === undefined ? line : { ...line, requestId });
      },
    });
    processes.add(started);
    void started.ended.then(() => {
      processes.delete(started);
      const position = warm.indexOf(started);
      if (position >= 0) warm.splice(position, 1);
    });
    return started;
  }

  function record(line: LogLine): void {
    lines.push(line);
    if (lines.length > 2 * LOG_LINES_KEPT) lines.splice(0, LOG_LINES_KEPT);
    options.log(line);
  }

  async function runIn(process: FunctionProcess, payload: string): Promise<InvocationResult> {
    const refused = await process.loaded;
    if (refused !== undefined) return refused;
    const result = await process.run({
      requestId: randomUUID(),
      functionArn: definition.arn,
      traceId: newTraceId(),
      deadline: Date.now() + definition.timeoutSeconds * 1000,
      payload,
    });
    if (process.alive) warm.push(process);
    return result.ok ? responseOf(result.payload) : result;
  }

  /** Takes the process that was used last, so that surplus processes stay idle. */
  function takeProcess(): FunctionProcess {
    for (let process = warm.pop(); process !== undefined; process = warm.pop()) {
      if (process.alive) return process;
    }
    return start();
  }

  return {
    async invoke(event) {
      const payload = JSON.stringify(event) ?? 'null';
      if (Buffer.byteLength(payload) > LARGEST_PAYLOAD_BYTES) {
        return failure(
          'RequestEntityTooLargeException',
          `The event is larger than ${LARGEST_PAYLOAD_BYTES} bytes.`,
        );
      }
      if (running >= reserved) return failure('TooManyRequestsException', 'Rate Exceeded.');
      running += 1;
      const release = await slots.take();
      try {
        return stopped ? stoppedFailure(definition) : await runIn(takeProcess(), payload);
      } finally {
        release();
        running -= 1;
      }
    },
    kill() {
      for (const process of processes) process.kill();
      return processes.size > 0;
    },
    async stop() {
      stopped = true;
      for (const process of processes) process.kill();
      await Promise.all([...processes].map((process) => process.ended));
    },
    logs: () => lines.slice(-LOG_LINES_KEPT),
    running: () => running,
  };
}

function responseOf(payload: string): InvocationResult {
  const bytes = Buffer.byteLength(payload);
  if (bytes <= LARGEST_PAYLOAD_BYTES) return { ok: true, payload: JSON.parse(payload) };
  return failure(
    'Function.ResponseSizeTooLarge',
    `Response payload size (${bytes} bytes) exceeded maximum allowed payload size (${LARGEST_PAYLOAD_BYTES} bytes).`,
  );
}

function stoppedFailure({ name }: FunctionDefinition): Failure {
  return failure('ResourceNotFoundException', `The local run of ${name} has ended.`);
}

/** A trace ID that is not sampled: there is no X-Ray daemon to send segments to. */
function newTraceId(): string {
  const time = Math.floor(Date.now() / 1000).toString(16);
  const hex = (bytes: number): string => randomBytes(bytes).toString('hex');
  return `Root=1-${time}-${hex(12)};Parent=${hex(8)};Sampled=0`;
}
