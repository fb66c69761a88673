import type { AccessDecision } from '../../model.ts';
import type { Delivery } from '../sqs/send-batcher.ts';
import type { BusEvent } from './event.ts';
import type { RuleDefinition } from './rule-definition.ts';
import { type RuleTarget, targetService } from './rule-target.ts';
import { messageGroup, targetInput } from './target-input.ts';

/** How a bus reaches its targets. */
export interface Targets {
  /** Whether the policy of a target allows the action of a rule. */
  mayDeliver(action: string, targetArn: string, ruleArn: string): AccessDecision;
  send(queueArn: string, delivery: Delivery): Promise<void>;
  /** Invokes a function asynchronously: the delivery ignores the outcome. */
  invoke(functionArn: string, event: unknown): void;
}

/**
 * Delivers the selected part of an event to a target; an event that can't be delivered goes to the target's dead
 * letters.
 */
export function createDeliver(
  targets: Targets,
  say: (message: string) => void,
): (rule: RuleDefinition, target: RuleTarget, event: BusEvent) => Promise<void> {
  /** Sends the event to the target's dead-letter queue, if the target has one and the queue allows the rule. */
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

  return async (rule, target, event) => {
    const input = targetInput(target, event, rule.arn);
    const toFunction = targetService(target) === 'lambda';
    const action = toFunction ? 'lambda:InvokeFunction' : 'sqs:SendMessage';
    const decision = targets.mayDeliver(action, target.Arn, rule.arn);
    if (!decision.allowed) return giveUp(rule, target, input, decision.reason);
    if (toFunction) return targets.invoke(target.Arn, JSON.parse(input));
    const delivery = { body: input, groupId: messageGroup(target, event) };
    return targets
      .send(target.Arn, delivery)
      .catch((error: unknown) => giveUp(rule, target, input, String(error)));
  };
}
