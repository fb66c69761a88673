import * as z from 'zod';
import type { AccessControl } from '../../gateway/access-control.ts';
import { AwsError } from '../../gateway/messages.ts';
import type { Principal } from '../../model.ts';
import type { Buses } from './buses.ts';
import type { RuleDefinition } from './rule-definition.ts';

/** One call of the EventBridge API, with the objects that every operation uses. */
export interface Call {
  readonly principal: Principal;
  readonly input: Readonly<Record<string, unknown>>;
  readonly buses: Buses;
  readonly access: AccessControl;
  readonly clock: { now(): number };
}

/** Authorizes and carries out a call; returns the output. */
export type Operation = (call: Call) => object;

/** @throws AwsError ValidationException */
export function readInput<T>(input: unknown, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new AwsError('ValidationException', z.prettifyError(parsed.error));
}

/** @throws AwsError ResourceNotFoundException */
export function requireRule(buses: Buses, bus: string, name: string): RuleDefinition {
  const rule = buses.find(bus, name);
  if (rule) return rule;
  throw new AwsError('ResourceNotFoundException', `Rule ${name} does not exist on EventBus ${bus}.`);
}

/**
 * Schedules are read once, from the template.
 *
 * @throws AwsError ValidationException for a rule with a schedule
 */
export function refuseScheduled(rule: RuleDefinition | undefined): void {
  if (rule?.schedule === undefined) return;
  throw new AwsError(
    'ValidationException',
    `Rule ${rule.name} runs on a schedule, which in the local run only the template can change`,
  );
}
