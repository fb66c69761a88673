import { z } from 'zod';
import { readProperties } from '../../template/read-properties.ts';
import type { StackResource } from '../../template/read-stack.ts';

const target = z.strictObject({
  Id: z.string(),
  Arn: z.string(),
  Input: z.string().optional(),
  InputPath: z.string().optional(),
  InputTransformer: z
    .strictObject({ InputPathsMap: z.record(z.string(), z.string()).default({}), InputTemplate: z.string() })
    .optional(),
  DeadLetterConfig: z.strictObject({ Arn: z.string() }).optional(),
  SqsParameters: z.strictObject({ MessageGroupId: z.string() }).optional(),
  RetryPolicy: z.unknown().optional().describe('a delivery either arrives at once or is refused for good'),
});

const ruleProperties = z.strictObject({
  Name: z.string().optional(),
  Description: z.string().optional(),
  EventBusName: z.string().default('default'),
  EventPattern: z.record(z.string(), z.unknown()).optional(),
  ScheduleExpression: z.string().optional(),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  Targets: z.array(target).default([]),
});

export type RuleTarget = z.output<typeof target>;

/** A rule of the stack: on the events of a bus, or on a schedule. */
export interface RuleDefinition {
  readonly name: string;
  readonly arn: string;
  /** Name of the bus. */
  readonly bus: string;
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
    bus: properties.EventBusName.split('/').at(-1) ?? 'default',
    enabled: properties.State === 'ENABLED',
    pattern: properties.EventPattern,
    schedule: properties.ScheduleExpression,
    targets: properties.Targets,
  };
}
