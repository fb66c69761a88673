import type { AccessDenied, InvocationResult, Log, LogLine } from './model.ts';
import type { Observer } from './observer.ts';
import type { IdleOptions } from './run/idle.ts';
import type { CloudFormationTemplate } from './template/cloudformation.ts';

export interface LocalRunOptions {
  /** Default: the one that `npm run synth` has written to `cdk.out`. */
  readonly templatePath?: string;
  /** Instead of the file's, for a test that changes something in it. */
  readonly template?: CloudFormationTemplate;
  /** The folder with the functions' bundles; default: that of the template. */
  readonly assetDirectory?: string;
  /** Values of the template's parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Default: any free ones. */
  readonly ports?: { readonly aws?: number; readonly api?: number };
  /** Where state outlives the run; in memory when absent. */
  readonly dataDirectory?: string;
  /** By how much reads of a global secondary index lag behind writes, in milliseconds; default 0. */
  readonly globalIndexLagMs?: number;
  /** `manual`: schedules fire only when triggered. Default: `run`. */
  readonly schedules?: 'run' | 'manual';
  /** Gets every line of the functions' output, and what the run itself has to say. */
  readonly log?: Log;
  /** Sees what comes in, as it happens. */
  readonly observer?: Observer;
}

/** A stack that runs. */
export interface LocalRun {
  /** `http://127.0.0.1:PORT` of the AWS APIs. */
  readonly endpoint: string;
  /** `http://127.0.0.1:PORT` of the stack's HTTP API; empty for a stack without one. */
  readonly apiUrl: string;
  readonly region: string;
  readonly accountId: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly adminCredentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Each takes a function's physical name, or a part of its logical ID that no other has. */
  readonly functions: {
    names(): string[];
    /** SIGKILLs the function's processes, as when Lambda loses its sandboxes; false when it had none. */
    kill(functionName: string): boolean;
    invoke(functionName: string, event: unknown): Promise<InvocationResult>;
    /** The newest lines of output, oldest first. */
    logs(functionName: string): LogLine[];
  };
  /** Fires every schedule of a function and waits for it. @throws Error when the function has none */
  triggerSchedule(functionName: string): Promise<void>;
  /** Every refusal by a policy so far. */
  readonly accessDenied: readonly AccessDenied[];
  /** Waits until all that was put in has been worked off. @throws Error naming what is still busy when the time is up */
  idle(options?: IdleOptions): Promise<void>;
  /** Ends every process and server of the run. */
  stop(): Promise<void>;
}
