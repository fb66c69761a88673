import * as z from 'zod';
import { account, ruleArn } from '../../template/account.ts';
import { busArn, busName } from './bus-name.ts';
import { type Operation, readInput, requireRule } from './operation.ts';
import type { RuleDefinition } from './rule-definition.ts';

const pageInput = { Limit: z.number().int().min(1).max(100).default(100), NextToken: z.string().optional() };
const describeInput = z.strictObject({ Name: z.string(), EventBusName: busName });
const listRulesInput = z.strictObject({
  EventBusName: busName,
  NamePrefix: z.string().default(''),
  ...pageInput,
});
const listTargetsInput = z.strictObject({ Rule: z.string(), EventBusName: busName, ...pageInput });

export const listEventBuses: Operation = ({ principal, buses, access }) => {
  access.require(principal, 'events:ListEventBuses', '*');
  return { EventBuses: buses.names().map((name) => ({ Name: name, Arn: busArn(name) })) };
};

export const describeRule: Operation = ({ principal, input, buses, access }) => {
  const { Name, EventBusName } = readInput(input, describeInput);
  access.require(principal, 'events:DescribeRule', ruleArn(EventBusName, Name));
  return { ...shown(requireRule(buses, EventBusName, Name)), CreatedBy: account.id };
};

export const listRules: Operation = ({ principal, input, buses, access }) => {
  const { EventBusName, NamePrefix, ...page } = readInput(input, listRulesInput);
  access.require(principal, 'events:ListRules', busArn(EventBusName));
  const rules = buses.rules(EventBusName).filter(({ name }) => name.startsWith(NamePrefix));
  const { items, next } = pageOf(rules, page);
  return { Rules: items.map(shown), ...next };
};

export const listTargetsByRule: Operation = ({ principal, input, buses, access }) => {
  const { Rule, EventBusName, ...page } = readInput(input, listTargetsInput);
  access.require(principal, 'events:ListTargetsByRule', ruleArn(EventBusName, Rule));
  const { items, next } = pageOf(requireRule(buses, EventBusName, Rule).targets, page);
  return { Targets: items, ...next };
};

function shown(rule: RuleDefinition): object {
  return {
    Name: rule.name,
    Arn: rule.arn,
    EventBusName: rule.bus,
    State: rule.enabled ? 'ENABLED' : 'DISABLED',
    Description: rule.description,
    EventPattern: rule.pattern && JSON.stringify(rule.pattern),
    ScheduleExpression: rule.schedule,
  };
}

/** The token of a page is the position of its first item. */
function pageOf<T>(
  all: readonly T[],
  { Limit, NextToken = '0' }: { Limit: number; NextToken?: string | undefined },
): { items: readonly T[]; next: { NextToken?: string } } {
  const start = Number(NextToken);
  const end = start + Limit;
  return { items: all.slice(start, end), next: end < all.length ? { NextToken: String(end) } : {} };
}
