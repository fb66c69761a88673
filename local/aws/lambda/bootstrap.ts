/**
 * The program of a function's process. Loads the handler that `_HANDLER` names from `LAMBDA_TASK_ROOT` and invokes it,
 * one event at a time, as Lambda's Node.js runtime does.
 */
import { flushCompileCache } from 'node:module';
import { type Handler, loadHandler, RuntimeError } from './load-handler.ts';
import type { FunctionError, InvokeMessage, ProcessMessage } from './messages.ts';

// A function must not outlive the local run, however the run ended.
process.once('disconnect', () => process.exit());
forwardOutput('stdout');
forwardOutput('stderr');

try {
  const handler = await loadHandler(environment('LAMBDA_TASK_ROOT'), environment('_HANDLER'));
  process.on('message', (message: InvokeMessage) => void invoke(handler, message));
  send({ kind: 'ready' });
  // Flush the cache now: a process that is ended by SIGKILL can't do it later.
  flushCompileCache();
} catch (error) {
  const described = describe(error);
  console.error(`Init Error ${JSON.stringify(described)}`);
  send({ kind: 'init-failed', error: described });
}

async function invoke(handler: Handler, message: InvokeMessage): Promise<void> {
  const { requestId } = message;
  process.env._X_AMZN_TRACE_ID = message.traceId;
  try {
    const result = await handler(JSON.parse(message.payload), contextOf(message));
    send({ kind: 'result', requestId, payload: serialize(result) });
  } catch (error) {
    const described = describe(error);
    console.error(`Invoke Error ${JSON.stringify(described)}`);
    send({ kind: 'failed', requestId, error: described });
  }
}

/** The second argument of a handler, with the fields of the Node.js 24 runtime. */
function contextOf({ requestId, functionArn, deadline }: InvokeMessage): object {
  return {
    awsRequestId: requestId,
    invokedFunctionArn: functionArn,
    functionName: environment('AWS_LAMBDA_FUNCTION_NAME'),
    functionVersion: environment('AWS_LAMBDA_FUNCTION_VERSION'),
    memoryLimitInMB: environment('AWS_LAMBDA_FUNCTION_MEMORY_SIZE'),
    logGroupName: environment('AWS_LAMBDA_LOG_GROUP_NAME'),
    logStreamName: environment('AWS_LAMBDA_LOG_STREAM_NAME'),
    callbackWaitsForEmptyEventLoop: true,
    identity: undefined,
    clientContext: undefined,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

function serialize(result: unknown): string {
  try {
    return JSON.stringify(result) ?? 'null';
  } catch (cause) {
    throw new RuntimeError('Runtime.MarshalError', `Unable to stringify response body: ${String(cause)}`);
  }
}

function describe(error: unknown): FunctionError {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error), trace: [] };
  return { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? '').split('\n') };
}

/** Sends the function's output to the host by IPC, in order with its results. */
function forwardOutput(stream: 'stdout' | 'stderr'): void {
  process[stream].write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    send({ kind: 'output', stream, text: typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString() });
    const written = rest.at(-1);
    if (typeof written === 'function') process.nextTick(written);
    return true;
  };
}

function send(message: ProcessMessage): void {
  if (process.connected) process.send?.(message);
}

function environment(name: string): string {
  const value = process.env[name];
  if (value === undefined)
    throw new Error(`${name} is not set: this file is started by the function host only.`);
  return value;
}
