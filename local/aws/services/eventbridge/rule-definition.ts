import * as z from 'zod';
import { readProperties } from '../../template/read-properties.ts';
import type { StackResource } from '../../template/read-stack.ts';
import { busName } from './bus-name.ts';
import { type RuleTarget, ruleTarget } from './rule-target.ts';

const ruleProperties = z.strictObject({
  Name: z.string().optional(),
  Description: z.string().optional(),
  EventBusName: busName,
  EventPattern: z.record(z.string(), z.unknown()).optional(),
  ScheduleExpression: z.string().optional(),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  Targets: z.array(ruleTarget).default([]),
});

/** A rule: on the events of a bus, or on a schedule. */
export interface RuleDefinition {
  readonly name: string;
  readonly arn: string;
  /** Name of the bus. */
  readonly bus: string;
  readonly description: string | undefined;
  readonly enabled: boolean;
  readonly pattern: Readonly<Record<string, unknown>> | undefined;
  readonly schedule: string | undefined;
  readonly targets: readonly RuleTarget[];
}

/**
 * Reads a rule of the template.
 *
 * @throws TemplateError for a property that the local run does not know.
 */
export function ruleDefinition(resource: StackResource): RuleDefinition {
  const properties = readProperties(resource, ruleProperties);
  return {
    name: resource.name,
    arn: resource.attributes.Arn ?? '',
    bus: properties.EventBusName,
    description: properties.Description,
    enabled: properties.State === 'ENABLED',
    pattern: properties.EventPattern,
    schedule: properties.ScheduleExpression,
    targets: properties.Targets,
  };
}
