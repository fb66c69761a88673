import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type AccessControl, createAccessControl } from './gateway/access-control.ts';
import {
  administratorCredentials,
  type CredentialStore,
  createCredentialStore,
} from './gateway/credential-store.ts';
import type { AwsService } from './gateway/messages.ts';
import { startGateway } from './gateway/server.ts';
import type { AccessDenied, InvocationResult, Log, LogLine } from './model.ts';
import { stackApi } from './run/api-definition.ts';
import { stackFunctions } from './run/function-definitions.ts';
import { type IdleOptions, waitForIdle } from './run/idle.ts';
import { stackMappings } from './run/mapping-definitions.ts';
import { stackPolicies } from './run/policies.ts';
import { startApi } from './run/start-api.ts';
import { createSay, startBuses } from './run/start-buses.ts';
import { type Functions, startFunctions } from './run/start-functions.ts';
import { startMappings } from './run/start-mappings.ts';
import { startSchedules } from './run/start-schedules.ts';
import { queueDefinitions, startBackends, startServices } from './run/start-services.ts';
import { ruleDefinition } from './services/eventbridge/rule-definition.ts';
import { account } from './template/account.ts';
import type { CloudFormationTemplate } from './template/cloudformation.ts';
import { readStack, type Stack } from './template/read-stack.ts';

const stackName = 'MarketplaceConnector';
const projectDirectory = join(import.meta.dirname, '..', '..');
const synthesizedTemplate = join(projectDirectory, 'cdk.out', `${stackName}.template.json`);

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
  triggerSchedule(functionName: string): Promise<void>;
  /** Every refusal by a policy so far. */
  readonly accessDenied: readonly AccessDenied[];
  /** Waits until all that was put in has been worked off. @throws Error naming what is still busy when the time is up */
  idle(options?: IdleOptions): Promise<void>;
  /** Ends every process and server of the run. */
  stop(): Promise<void>;
}

/**
 * Runs a synthesized stack on this machine: what the template says, and nothing that it does not say.
 *
 * @throws Error when the template holds what the local run does not know, when it would not deploy for want of a
 * permission, or when a port is taken. Nothing is left running then.
 */
export async function startLocalRun(options: LocalRunOptions = {}): Promise<LocalRun> {
  await using cleanup = new AsyncDisposableStack();
  const clock = { now: () => Date.now() };
  const log: Log = options.log ?? (() => {});
  const say = createSay(log, clock);
  const onError = (error: unknown): void =>
    say(`Fault of the local run: ${error instanceof Error ? error.stack : String(error)}`);
  const credentialStore = createCredentialStore();
  const accessDenied: AccessDenied[] = [];

  const templatePath = options.templatePath ?? synthesizedTemplate;
  const template =
    options.template ?? (JSON.parse(await readFile(templatePath, 'utf8')) as CloudFormationTemplate);
  const parameters = options.parameters ?? {};

  const services = new Map<string, AwsService>();
  const gateway = await startGateway({
    port: options.ports?.aws ?? 0,
    services,
    findCredentials: credentialStore.find,
    clock,
    onError,
  });
  cleanup.defer(() => gateway.stop());

  const read = (apiUrl: string): Stack =>
    readStack(template, { stackName, parameters, endpoints: { aws: gateway.url, api: apiUrl } });
  const withoutApi = read('');
  const access = createAccessControl({
    policies: stackPolicies(withoutApi),
    accountId: account.id,
    clock,
    onDenied: (denied) => {
      accessDenied.push(denied);
      say(`AccessDenied: ${denied.principal} ${denied.action} on ${denied.resource}: ${denied.reason}`);
    },
  });

  // Functions may be told the API's URL, and the API has to be told the functions: the API comes first, empty-handed.
  const late: { functions?: Functions } = {};
  const apiUrl = await serveApi(withoutApi, {
    port: options.ports?.api ?? 0,
    late,
    access,
    credentialStore,
    clock,
    log,
    cleanup,
  });
  const stack = read(apiUrl);

  const backends = await startBackends(options.dataDirectory);
  cleanup.defer(() => backends.stop());
  const functions = startFunctions({
    functions: stackFunctions(stack, options.assetDirectory ?? dirname(templatePath)),
    credentialStore,
    endpoint: gateway.url,
    log,
  });
  late.functions = functions;
  cleanup.defer(() => functions.stop());

  const rules = stack.ofType('AWS::Events::Rule').map(ruleDefinition);
  const queues = queueDefinitions(stack);
  const buses = startBuses({ stack, rules, queues: backends.queues, functions, access, say });
  const started = await startServices({
    stack,
    backends,
    queues,
    buses,
    access,
    endpoint: gateway.url,
    globalIndexLagMs: options.globalIndexLagMs ?? 0,
    clock,
    onError,
  });
  cleanup.defer(() => started.stop());
  for (const [scope, service] of started.services) services.set(scope, service);

  const mappings = startMappings({
    definitions: stackMappings(stack, queues),
    queueDefinitions: queues,
    queues: backends.queues,
    functions,
    access,
    log,
  });
  cleanup.defer(() => mappings.stop());
  const schedules = startSchedules({
    rules,
    functions,
    access,
    run: options.schedules !== 'manual',
    clock,
    say,
  });
  cleanup.defer(() => schedules.stop());

  const stopping = cleanup.move();
  return {
    endpoint: gateway.url,
    apiUrl,
    region: account.region,
    accountId: account.id,
    outputs: stack.outputs,
    adminCredentials: administratorCredentials,
    functions: {
      names: () => functions.all().map(({ definition }) => definition.name),
      kill: (name) => functions.find(name).host.kill(),
      invoke: (name, event) => functions.invoke(name, event),
      logs: (name) => functions.find(name).host.logs(),
    },
    triggerSchedule: (name) => schedules.trigger(functions.find(name)),
    accessDenied,
    idle: (idleOptions = {}) =>
      waitForIdle(idleOptions, {
        queues: backends.queues,
        queueNames: mappings.queueNames,
        running: () => ({
          'event source mappings': mappings.running(),
          functions: functions.running(),
          'event deliveries': buses.running(),
        }),
      }),
    stop: () => stopping.disposeAsync(),
  };
}

/** Serves the stack's HTTP API, if it has one, and answers its URL. */
async function serveApi(
  stack: Stack,
  options: {
    port: number;
    late: { readonly functions?: Functions };
    access: AccessControl;
    credentialStore: CredentialStore;
    clock: { now(): number };
    log: Log;
    cleanup: AsyncDisposableStack;
  },
): Promise<string> {
  const definition = stackApi(stack);
  if (!definition) return '';
  const notYet: InvocationResult = {
    ok: false,
    errorType: 'ResourceNotReadyException',
    errorMessage: 'The run is starting',
  };
  const api = await startApi({
    ...options,
    definition,
    invoke: async (name, event) => options.late.functions?.invoke(name, event) ?? notYet,
    functionArn: (name) =>
      stack.ofType('AWS::Lambda::Function').find((one) => one.name === name)?.attributes.Arn ?? name,
  });
  options.cleanup.defer(() => api.stop());
  return api.url;
}
