import { createScheduler } from '../events/scheduler.ts';
import type { AccessControl } from '../gateway/access-control.ts';
import { busEvent } from '../services/eventbridge/event.ts';
import type { RuleDefinition } from '../services/eventbridge/rule-definition.ts';
import type { RuleTarget } from '../services/eventbridge/rule-target.ts';
import { targetInput } from '../services/eventbridge/target-input.ts';
import type { Functions, RunningFunction } from './start-functions.ts';

export interface Schedules {
  /**
   * Fires every schedule of a function now, also when schedules run by the clock.
   *
   * @throws Error when the function has no schedule
   */
  trigger(target: RunningFunction): Promise<void>;
  stop(): void;
}

/** @param options.run whether the schedules fire by the clock, or only when triggered */
export function startSchedules(options: {
  rules: readonly RuleDefinition[];
  functions: Functions;
  access: AccessControl;
  run: boolean;
  clock: { now(): number };
  say: (message: string) => void;
}): Schedules {
  const { functions, access, clock, say } = options;
  const schedules = options.rules.flatMap((rule) => {
    const expression = rule.enabled ? rule.schedule : undefined;
    if (expression === undefined) return [];
    return rule.targets.map((target) => {
      const invoke = (scheduledAt: number): Promise<void> => fire(rule, target, scheduledAt);
      return {
        functionName: functionName(target),
        invoke,
        scheduler: createScheduler({ expression, invoke, clock }),
      };
    });
  });

  async function fire(rule: RuleDefinition, target: RuleTarget, scheduledAt: number): Promise<void> {
    const decision = access.checkService(
      'events.amazonaws.com',
      'lambda:InvokeFunction',
      target.Arn,
      rule.arn,
    );
    if (!decision.allowed) return say(`Rule ${rule.name} could not invoke ${target.Arn}: ${decision.reason}`);
    const event = busEvent({
      source: 'aws.events',
      detailType: 'Scheduled Event',
      detail: {},
      time: scheduledAt,
      resources: [rule.arn],
    });
    const result = await functions.invoke(
      functionName(target),
      JSON.parse(targetInput(target, event, rule.arn)),
    );
    if (!result.ok) say(`Rule ${rule.name}: ${result.errorType}: ${result.errorMessage}`);
  }

  if (options.run) for (const { scheduler } of schedules) scheduler.start();

  return {
    async trigger({ definition, logicalId }) {
      const own = schedules.filter((schedule) => schedule.functionName === definition.name);
      if (own.length === 0) throw new Error(`${logicalId} has no schedule`);
      await Promise.all(own.map(({ invoke }) => invoke(clock.now())));
    },
    stop() {
      for (const { scheduler } of schedules) scheduler.stop();
    },
  };
}

/** @throws Error for a target that is not a function */
function functionName({ Arn }: RuleTarget): string {
  const name = /:function:([\w-]+)$/.exec(Arn)?.[1];
  if (name === undefined)
    throw new Error(`The schedule target ${Arn} is not a function: the local run does not know it`);
  return name;
}
