import type { AccessDecision } from '../../model.ts';
import type { Delivery } from '../sqs/send-batcher.ts';
import type { BusEvent } from './event.ts';
import { compilePattern, type EventMatcher, type Json } from './pattern.ts';
import type { RuleDefinition, RuleTarget } from './rule-definition.ts';
import { targetInput } from './target-input.ts';

/** The buses with their rules, past the API. */
export interface Buses {
  names(): string[];
  rules(bus: string): readonly RuleDefinition[];
  /** Hands an event to every rule of a bus that matches. Deliveries go on behind: see `idle`. */
  publish(bus: string, event: BusEvent): void;
  /** Deliveries under way. */
  running(): number;
}

/** How a bus reaches its targets. */
export interface Targets {
  /** Whether a rule may do that to a target, by the target's own policy. */
  mayDeliver(action: string, targetArn: string, ruleArn: string): AccessDecision;
  send(queueArn: string, delivery: Delivery): Promise<void>;
  /** Asynchronous invocation: the outcome is the function's own affair. */
  invoke(functionArn: string, event: unknown): void;
}

/**
 * @param options.names buses of the stack; the account's default bus is there besides
 * @throws Error for a pattern, a target or an input path that the local run does not know
 */
export function createBuses(options: {
  names: readonly string[];
  rules: readonly RuleDefinition[];
  targets: Targets;
  say: (message: string) => void;
}): Buses {
  const { targets, say } = options;
  const names = ['default', ...options.names.filter((name) => name !== 'default')];
  const matchers = new Map<string, { rule: RuleDefinition; matches: EventMatcher }[]>(
    names.map((name) => [name, []]),
  );
  for (const rule of options.rules.filter((one) => one.enabled && one.pattern !== undefined)) {
    rule.targets.forEach(refuseUnknownTarget);
    const onBus = matchers.get(rule.bus);
    if (!onBus) throw new Error(`Rule ${rule.name}: the stack has no bus ${rule.bus}`);
    onBus.push({ rule, matches: compilePattern(rule.pattern) });
  }
  let running = 0;

  async function deliver(rule: RuleDefinition, target: RuleTarget, event: BusEvent): Promise<void> {
    const input = targetInput(target, event, rule.arn);
    if (service(target.Arn) === 'lambda') {
      const decision = targets.mayDeliver('lambda:InvokeFunction', target.Arn, rule.arn);
      if (!decision.allowed) return giveUp(rule, target, input, decision.reason);
      return targets.invoke(target.Arn, JSON.parse(input));
    }
    const decision = targets.mayDeliver('sqs:SendMessage', target.Arn, rule.arn);
    if (!decision.allowed) return giveUp(rule, target, input, decision.reason);
    const delivery = { body: input, groupId: target.SqsParameters?.MessageGroupId };
    return targets
      .send(target.Arn, delivery)
      .catch((error: unknown) => giveUp(rule, target, input, String(error)));
  }

  /** To the target's dead-letter queue, where it has one that lets the rule in. */
  async function giveUp(
    rule: RuleDefinition,
    target: RuleTarget,
    body: string,
    reason: string,
  ): Promise<void> {
    say(`Rule ${rule.name} could not deliver to ${target.Arn}: ${reason}`);
    const deadLetters = target.DeadLetterConfig?.Arn;
    if (deadLetters === undefined || !targets.mayDeliver('sqs:SendMessage', deadLetters, rule.arn).allowed)
      return;
    await targets.send(deadLetters, { body });
  }

  return {
    names: () => names,
    rules: (bus) => options.rules.filter((rule) => rule.bus === bus),
    publish(bus, event) {
      for (const { rule, matches } of matchers.get(bus) ?? []) {
        if (!matches(event as unknown as Json)) continue;
        for (const target of rule.targets) {
          running += 1;
          deliver(rule, target, event)
            .catch((error: unknown) => say(`Rule ${rule.name} lost an event: ${String(error)}`))
            .finally(() => {
              running -= 1;
            });
        }
      }
    },
    running: () => running,
  };
}

function refuseUnknownTarget({ Arn }: RuleTarget): void {
  if (service(Arn) !== 'sqs' && service(Arn) !== 'lambda') {
    throw new Error(
      `The rule target ${Arn} is neither a queue nor a function: the local run does not know it`,
    );
  }
}

function service(targetArn: string): string {
  return targetArn.split(':')[2] ?? '';
}
