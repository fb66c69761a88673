import * as z from 'zod';
import { AwsError } from '../../gateway/messages.ts';
import { ruleArn } from '../../template/account.ts';
import { busName } from './bus-name.ts';
import { type Operation, readInput, refuseScheduled, requireRule } from './operation.ts';

const stateInput = z.strictObject({ Name: z.string(), EventBusName: busName });
const deleteInput = stateInput.extend({ Force: z.boolean().optional() });

export const enableRule = setEnabled('events:EnableRule', true);
export const disableRule = setEnabled('events:DisableRule', false);

function setEnabled(action: string, enabled: boolean): Operation {
  return ({ principal, input, buses, access }) => {
    const { Name, EventBusName } = readInput(input, stateInput);
    access.require(principal, action, ruleArn(EventBusName, Name));
    const rule = requireRule(buses, EventBusName, Name);
    refuseScheduled(rule);
    buses.put({ ...rule, enabled });
    return {};
  };
}

/** Removes a rule without targets. Removing a missing rule succeeds. */
export const deleteRule: Operation = ({ principal, input, buses, access }) => {
  const { Name, EventBusName } = readInput(input, deleteInput);
  access.require(principal, 'events:DeleteRule', ruleArn(EventBusName, Name));
  const rule = buses.find(EventBusName, Name);
  if (!rule) return {};
  refuseScheduled(rule);
  if (rule.targets.length > 0)
    throw new AwsError('ValidationException', "Rule can't be deleted since it has targets.");
  buses.remove(rule);
  return {};
};
