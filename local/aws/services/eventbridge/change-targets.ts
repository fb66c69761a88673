import * as z from 'zod';
import { AwsError } from '../../gateway/messages.ts';
import { ruleArn } from '../../template/account.ts';
import { busName } from './bus-name.ts';
import { type Operation, readInput, refuseScheduled, requireRule } from './operation.ts';
import { ruleTarget } from './rule-target.ts';
import { targetFault } from './target-input.ts';

/** AWS's default quota. */
const maxTargets = 5;

const putTargetsInput = z.strictObject({
  Rule: z.string(),
  EventBusName: busName,
  Targets: z.array(ruleTarget).min(1).max(100),
});
const removeTargetsInput = z.strictObject({
  Rule: z.string(),
  EventBusName: busName,
  Ids: z.array(z.string()).min(1).max(100),
  Force: z.boolean().optional(),
});

const noneFailed = { FailedEntryCount: 0, FailedEntries: [] };

/** Adds targets to a rule. A target replaces an earlier target with the same ID. */
export const putTargets: Operation = ({ principal, input, buses, access }) => {
  const { Rule, EventBusName, Targets } = readInput(input, putTargetsInput);
  access.require(principal, 'events:PutTargets', ruleArn(EventBusName, Rule));
  const rule = requireRule(buses, EventBusName, Rule);
  refuseScheduled(rule);
  const fault = Targets.map(targetFault).find((one) => one !== undefined);
  if (fault !== undefined) throw new AwsError('ValidationException', fault);
  const byId = new Map([...rule.targets, ...Targets].map((target) => [target.Id, target]));
  if (byId.size > maxTargets)
    throw new AwsError('LimitExceededException', `A rule has at most ${maxTargets} targets.`);
  buses.put({ ...rule, targets: [...byId.values()] });
  return noneFailed;
};

export const removeTargets: Operation = ({ principal, input, buses, access }) => {
  const { Rule, EventBusName, Ids } = readInput(input, removeTargetsInput);
  access.require(principal, 'events:RemoveTargets', ruleArn(EventBusName, Rule));
  const rule = requireRule(buses, EventBusName, Rule);
  refuseScheduled(rule);
  buses.put({ ...rule, targets: rule.targets.filter(({ Id }) => !Ids.includes(Id)) });
  return noneFailed;
};
