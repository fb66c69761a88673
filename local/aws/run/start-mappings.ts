import { createEventSourceMapping, type EventSourceMapping } from '../events/event-source-mapping.ts';
import type { AccessControl } from '../gateway/access-control.ts';
import type { EventSourceMappingDefinition, Log, Principal } from '../model.ts';
import type { QueueDefinition } from '../services/sqs/queue-definition.ts';
import type { Queues } from '../services/sqs/queues.ts';
import type { Functions, RunningFunction } from './start-functions.ts';

const neededActions = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

export interface Mappings {
  /** The queues that feed a function. */
  readonly queueNames: readonly string[];
  /** Number of running batches and gathered messages. */
  running(): number;
  stop(): Promise<void>;
}

/**
 * Starts to feed the functions from their queues, with each function's role.
 *
 * @throws Error when a role lacks a permission that Lambda requires to create a mapping
 */
export function startMappings(options: {
  definitions: readonly EventSourceMappingDefinition[];
  queueDefinitions: readonly QueueDefinition[];
  queues: Queues;
  functions: Functions;
  access: AccessControl;
  log: Log;
}): Mappings {
  const { functions, queues, access, log } = options;
  const started = options.definitions.map(
    (definition): { queue: QueueDefinition; mapping: EventSourceMapping } => {
      const target = functions.find(definition.functionName);
      const queue = options.queueDefinitions.find(({ arn }) => arn === definition.queueArn);
      if (!queue) throw new Error(`${definition.queueArn} is not a queue of the stack`);
      demandPermissions(access, target, queue);
      const mapping = createEventSourceMapping({
        definition,
        queue: queues.port(queue.name),
        invoke: (event) => target.host.invoke(event),
        functionTimeoutSeconds: target.definition.timeoutSeconds,
        visibilityTimeoutSeconds: queue.visibilityTimeoutSeconds,
        log,
      });
      return { queue, mapping };
    },
  );
  for (const { mapping } of started) mapping.start();
  return {
    queueNames: started.map(({ queue }) => queue.name),
    running: () => started.reduce((sum, { mapping }) => sum + mapping.running(), 0),
    async stop() {
      await Promise.all(started.map(({ mapping }) => mapping.stop()));
    },
  };
}

/** Checks permissions when a mapping is created, as Lambda does; roles do not change during a run. */
function demandPermissions(access: AccessControl, target: RunningFunction, queue: QueueDefinition): void {
  const role = rolePrincipal(target);
  for (const action of neededActions) {
    const decision = access.check(role, action, queue.arn);
    if (decision.allowed) continue;
    throw new Error(
      `AccessDenied: the role of ${target.logicalId} lacks ${action} on ${queue.arn}: ${decision.reason}`,
    );
  }
}

function rolePrincipal({ role, definition }: RunningFunction): Principal {
  return { kind: 'role', arn: role.arn, sessionArn: role.arn, userId: `${role.id}:${definition.name}` };
}
