/** To a function's process: one invocation. A process gets the next one only after it has answered. */
export interface InvokeMessage {
  requestId: string;
  functionArn: string;
  traceId: string;
  /** Epoch milliseconds after which the process is killed. */
  deadline: number;
  /** The event as JSON. */
  payload: string;
}

/** An error as Lambda's runtime reports it. */
export interface FunctionError {
  errorType: string;
  errorMessage: string;
  trace: readonly string[];
}

/** From a function's process. Output uses the same channel as results, so that it arrives before the result. */
export type ProcessMessage =
  | { kind: 'ready' }
  | { kind: 'init-failed'; error: FunctionError }
  | { kind: 'output'; stream: 'stdout' | 'stderr'; text: string }
  | { kind: 'result'; requestId: string; payload: string }
  | { kind: 'failed'; requestId: string; error: FunctionError };
