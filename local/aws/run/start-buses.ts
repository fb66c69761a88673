import { join } from 'node:path';
import * as z from 'zod';
import type { AccessControl } from '../gateway/access-control.ts';
import type { Observer } from '../observer.ts';
import { type Buses, createBuses } from '../services/eventbridge/buses.ts';
import type { RuleDefinition } from '../services/eventbridge/rule-definition.ts';
import { ruleFile } from '../services/eventbridge/rule-file.ts';
import type { Queues } from '../services/sqs/queues.ts';
import { readProperties } from '../template/read-properties.ts';
import type { Stack } from '../template/read-stack.ts';
import type { Functions } from './start-functions.ts';

const busProperties = z.strictObject({
  Name: z.string(),
  Description: z.unknown().optional(),
  LogConfig: z.unknown().optional(),
  Tags: z.unknown().optional(),
});

/** The buses of the stack, which deliver to the queues and functions that allow it. */
export function startBuses(options: {
  stack: Stack;
  rules: readonly RuleDefinition[];
  /** File in which rules made by clients outlive the run; without it they end with the run. */
  dataDirectory: string | undefined;
  queues: Queues;
  functions: Functions;
  access: AccessControl;
  observer: Observer;
  say: (message: string) => void;
}): Buses {
  const { dataDirectory, queues, functions, access, observer, say } = options;
  const buses = createBuses({
    names: options.stack.ofType('AWS::Events::EventBus').map((bus) => {
      readProperties(bus, busProperties);
      return bus.name;
    }),
    rules: options.rules,
    file: dataDirectory === undefined ? undefined : ruleFile(join(dataDirectory, 'rules.json')),
    say,
    targets: {
      mayDeliver: (action, targetArn, ruleArn) =>
        access.checkService('events.amazonaws.com', action, targetArn, ruleArn),
      send: (queueArn, delivery) => queues.send(lastPart(queueArn), delivery),
      invoke(functionArn, event) {
        const name = lastPart(functionArn);
        void functions.invoke(name, event).then((result) => {
          if (!result.ok) say(`${name} failed on an event: ${result.errorType}: ${result.errorMessage}`);
        });
      },
    },
  });
  return {
    ...buses,
    publish(bus, event) {
      observer.event?.(event, bus);
      buses.publish(bus, event);
    },
  };
}

function lastPart(arn: string): string {
  return arn.split(':').at(-1) ?? arn;
}
