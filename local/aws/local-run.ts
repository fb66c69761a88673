import type { AwsService } from './gateway/messages.ts';
import type { AccessDenied, InvocationResult, Log, LogLine } from './model.ts';
import type { Observer } from './observer.ts';
import type { IdleOptions } from './run/idle.ts';
import type { CloudFormationTemplate } from './template/cloudformation.ts';

export interface LocalRunOptions {
  /** Path of the template. Default: the template that `npm run synth` has written to `cdk.out`. */
  readonly templatePath?: string;
  /** A template in place of the file, for a test that changes it. */
  readonly template?: CloudFormationTemplate;
  /** The folder with the functions' bundles. Default: the folder of the template. */
  readonly assetDirectory?: string;
  /** Values of the template's parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Default: free ports. */
  readonly ports?: { readonly aws?: number; readonly api?: number };
  /** Folder for state that outlives the run; in memory when absent. */
  readonly dataDirectory?: string;
  /** By how much reads of a global secondary index lag behind writes, in milliseconds; default 0. */
  readonly globalIndexLagMs?: number;
  /**
   * Logical ID of a resource whose creation is to fail. The resources that this start created are then rolled back, as CloudFormation
   * does.
   */
  readonly failsAt?: string;
  /** `manual`: schedules fire only when triggered. Default: `run`. */
  readonly schedules?: 'run' | 'manual';
  /** Receives every line of the functions' output and of the run itself. */
  readonly log?: Log;
  /** Sees what comes in, as it happens. */
  readonly observer?: Observer;
  /** Wraps a service, by its credential scope (`dynamodb`, `sqs`), for example to count its calls. */
  readonly wrapService?: (scope: string, service: AwsService) => AwsService;
}

/** A running stack. */
export interface LocalRun {
  /** `http://127.0.0.1:PORT` of the AWS APIs. */
  readonly endpoint: string;
  /** `http://127.0.0.1:PORT` of the stack's HTTP API; empty for a stack without one. */
  readonly apiUrl: string;
  readonly region: string;
  readonly accountId: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly adminCredentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Each method takes a function's physical name, or a unique part of its logical ID. */
  readonly functions: {
    names(): string[];
    /** SIGKILLs the function's processes, as when Lambda loses its sandboxes. Returns false when there was no process. */
    kill(functionName: string): boolean;
    invoke(functionName: string, event: unknown): Promise<InvocationResult>;
    /** The newest lines of output, oldest first. */
    logs(functionName: string): LogLine[];
  };
  /** Fires every schedule of a function and waits for the runs. @throws Error when the function has no schedule */
  triggerSchedule(functionName: string): Promise<void>;
  /** Every refusal by a policy so far. */
  readonly accessDenied: readonly AccessDenied[];
  /** Waits until all work is done. @throws Error naming what is still busy when the time is up */
  idle(options?: IdleOptions): Promise<void>;
  /** Ends every process and server of the run. */
  stop(): Promise<void>;
}
