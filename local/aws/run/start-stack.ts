import type { AwsService } from '../gateway/messages.ts';
import { ruleDefinition } from '../services/eventbridge/rule-definition.ts';
import type { RunContext } from './context.ts';
import { stackFunctions } from './function-definitions.ts';
import { type IdleOptions, waitForIdle } from './idle.ts';
import { stackMappings } from './mapping-definitions.ts';
import { startBuses } from './start-buses.ts';
import type { Front } from './start-front.ts';
import { type Functions, startFunctions } from './start-functions.ts';
import { startMappings } from './start-mappings.ts';
import { type Schedules, startSchedules } from './start-schedules.ts';
import { queueDefinitions, startBackends, startServices } from './start-services.ts';

/** The queries and triggers of a running stack. */
export interface RunningStack {
  readonly functions: Functions;
  readonly schedules: Schedules;
  idle(options: IdleOptions): Promise<void>;
}

/**
 * Starts the parts behind the ports: state, services, functions, and everything that feeds functions.
 *
 * @throws Error for parts that the local run does not support, and for a missing permission that a deployment needs
 */
export async function startStack(
  context: RunContext,
  front: Front,
  options: {
    assetDirectory: string;
    dataDirectory: string | undefined;
    globalIndexLagMs: number;
    failsAt: string | undefined;
    runSchedules: boolean;
    wrapService: (scope: string, service: AwsService) => AwsService;
  },
): Promise<RunningStack> {
  const { cleanup } = context;
  const { stack, access } = front;
  const endpoint = front.endpoints.aws;

  const backends = await startBackends(options.dataDirectory);
  cleanup.defer(() => backends.stop());
  const functions = startFunctions({
    ...context,
    functions: stackFunctions(stack, options.assetDirectory),
    endpoint,
  });
  cleanup.defer(() => functions.stop());

  const rules = stack.ofType('AWS::Events::Rule').map(ruleDefinition);
  const queues = queueDefinitions(stack);
  const { dataDirectory } = options;
  const buses = startBuses({
    ...context,
    stack,
    rules,
    dataDirectory,
    queues: backends.queues,
    functions,
    access,
  });
  const { globalIndexLagMs, failsAt } = options;
  const started = await startServices({
    ...context,
    stack,
    backends,
    queues,
    buses,
    access,
    endpoint,
    globalIndexLagMs,
    failsAt,
  });
  cleanup.defer(() => started.stop());
  const services = new Map(
    [...started.services].map(([scope, service]) => [scope, options.wrapService(scope, service)]),
  );
  front.connect({ services, functions });

  const mappings = startMappings({
    ...context,
    definitions: stackMappings(stack, queues),
    queueDefinitions: queues,
    queues: backends.queues,
    functions,
    access,
  });
  // A mapping stops once its invocations have ended, and they end with their processes.
  cleanup.defer(async () => {
    await Promise.all([mappings.stop(), functions.stop()]);
  });
  const schedules = startSchedules({ ...context, rules, functions, access, run: options.runSchedules });
  cleanup.defer(() => schedules.stop());

  const running = (): Record<string, number> => ({
    'event source mappings': mappings.running(),
    functions: functions.running(),
    'event deliveries': buses.running(),
  });
  return {
    functions,
    schedules,
    idle: (idleOptions) =>
      waitForIdle(idleOptions, { queues: backends.queues, queueNames: mappings.queueNames, running }),
  };
}
