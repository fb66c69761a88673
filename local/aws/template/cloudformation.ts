import * as z from 'zod';

const properties = z.record(z.string(), z.unknown());

const deletionPolicy = z.enum(['Delete', 'Retain', 'RetainExceptOnCreate', 'Snapshot']);
export type DeletionPolicy = z.output<typeof deletionPolicy>;

const resource = z.object({
  Type: z.string(),
  Properties: properties.default({}),
  Condition: z.string().optional(),
  DeletionPolicy: deletionPolicy.default('Delete'),
  /** The named resources must exist. */
  DependsOn: z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]),
});

const parameter = z.strictObject({
  Description: z.string().optional(),
  ConstraintDescription: z.string().optional(),
  NoEcho: z.unknown().optional(),
  Type: z.string(),
  Default: z.union([z.string(), z.number()]).transform(String).optional(),
  MinLength: z.coerce.number().optional(),
  MaxLength: z.coerce.number().optional(),
  AllowedPattern: z.string().optional(),
  AllowedValues: z.array(z.union([z.string(), z.number()]).transform(String)).optional(),
});

const output = z.looseObject({ Value: z.unknown(), Condition: z.string().optional() });

/**
 * The sections of a CloudFormation template that have an effect here. `Rules` and `Metadata` are ignored. A section
 * that transforms the template (`Transform`) is refused.
 */
export const cloudFormationTemplate = z.strictObject({
  AWSTemplateFormatVersion: z.string().optional(),
  Description: z.string().optional(),
  Metadata: z.unknown().optional(),
  Rules: z.unknown().optional(),
  Parameters: z.record(z.string(), parameter).default({}),
  Mappings: z.record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown()))).default({}),
  Conditions: z.record(z.string(), z.unknown()).default({}),
  Resources: z.record(z.string(), resource),
  Outputs: z.record(z.string(), output).default({}),
});

/** A template as `cdk synth` writes it. */
export type CloudFormationTemplate = z.input<typeof cloudFormationTemplate>;

/** A template that was checked, with empty sections filled in. */
export type ParsedTemplate = z.output<typeof cloudFormationTemplate>;

/** An error in a template that can't run here; the message names the logical ID. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}
