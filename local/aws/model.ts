import type { Throttling } from './http-api/throttle.ts';

/**
 * The types that the parts of the local AWS share. Each part takes its dependencies as parameters of these types, so
 * that no part depends on how another is built.
 */

/** One line of a function's output, or of the local run itself (`source: 'local'`). */
export interface LogLine {
  /** Epoch milliseconds. */
  readonly time: number;
  /** Physical function name, or `local`. */
  readonly source: string;
  /** `local` for output of the run itself. */
  readonly stream: 'stdout' | 'stderr' | 'local';
  readonly message: string;
  /** The invocation during which the line was written, if known. */
  readonly requestId?: string;
}

export type Log = (line: LogLine) => void;

/** A key pair as in AWS SDKs; only role sessions have a session token. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Who calls: the administrator `local`, or a function's role session. */
export interface Principal {
  readonly kind: 'administrator' | 'role';
  /** `arn:aws:iam::000000000000:user/local`, or the role's ARN. */
  readonly arn: string;
  /** The ARN that STS would answer: the assumed-role ARN of a session. */
  readonly sessionArn: string;
  readonly userId: string;
}

/** One refusal by a policy, as the run's report shows it. */
export interface AccessDenied {
  /** Epoch milliseconds. */
  readonly time: number;
  /** ARN of a role or user, or a service principal such as `events.amazonaws.com`. */
  readonly principal: string;
  readonly action: string;
  readonly resource: string;
  readonly reason: string;
}

/** A Lambda function as its process needs it. */
export interface FunctionDefinition {
  readonly name: string;
  readonly arn: string;
  /** `file.export`, relative to the asset directory. */
  readonly handler: string;
  readonly assetDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly reservedConcurrency?: number;
}

/** The result of one invocation. */
export type InvocationResult =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly errorType: string; readonly errorMessage: string };

export type Invoke = (event: unknown) => Promise<InvocationResult>;

/** A message as SQS delivers it, with all of its attributes. */
export interface QueueMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly md5OfBody: string;
  /** System attributes: `ApproximateReceiveCount`, `SentTimestamp`, `MessageGroupId`, … */
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageAttributes: Readonly<Record<string, unknown>>;
}

/** A queue as an event source mapping uses it. Each call is one SQS request: at most 10 messages. */
export interface QueuePort {
  /** @param options.signal ends the wait for a message; the receive then fails */
  receive(options: {
    maxMessages: number;
    waitSeconds: number;
    signal: AbortSignal;
  }): Promise<QueueMessage[]>;
  delete(receiptHandles: readonly string[]): Promise<void>;
}

/** An event source mapping of a queue, from the template. */
export interface EventSourceMappingDefinition {
  readonly queueArn: string;
  readonly functionName: string;
  readonly batchSize: number;
  readonly windowSeconds: number;
  readonly maximumConcurrency?: number;
  readonly reportBatchItemFailures: boolean;
}

/** A route of the HTTP API, from the template. */
export interface HttpRoute {
  /** `GET`, …, `ANY`. */
  readonly method: string;
  /** `/stores/{storeClientId}`, `/{proxy+}`; `$default` matches requests without another route. */
  readonly path: string;
  /** `METHOD /path` or `$default`, as the event's `routeKey` names it. */
  readonly routeKey: string;
  readonly authorization: 'NONE' | 'AWS_IAM';
  readonly functionName: string;
  /** At most 30,000. */
  readonly timeoutMs: number;
  /** Default: the throttling of the stage, which the route shares with other routes. */
  readonly throttling?: Throttling;
}

/** Whether a principal may do something; a refusal says why. */
export type AccessDecision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: string };

/** A caller who signed: its principal and the secret that its signature must match. */
export interface KnownCredentials {
  readonly credentials: Credentials;
  readonly principal: Principal;
}
