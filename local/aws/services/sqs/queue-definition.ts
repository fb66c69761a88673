import * as z from 'zod';
import { readProperties } from '../../template/read-properties.ts';
import type { StackResource } from '../../template/read-stack.ts';

const number = z.union([z.number(), z.string()]).transform(String);

/** The attributes that are passed to SQS unchanged. */
const attributes = {
  VisibilityTimeout: number.optional(),
  DelaySeconds: number.optional(),
  MaximumMessageSize: number.optional(),
  MessageRetentionPeriod: number.optional(),
  SqsManagedSseEnabled: z.boolean().transform(String).optional(),
  KmsMasterKeyId: z.string().optional(),
  KmsDataKeyReusePeriodSeconds: number.optional(),
};

const queueProperties = z.strictObject({
  QueueName: z.string().optional(),
  Tags: z.unknown().optional(),
  ReceiveMessageWaitTimeSeconds: number.optional(),
  RedrivePolicy: z
    .strictObject({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number() })
    .optional(),
  RedriveAllowPolicy: z.unknown().optional(),
  ...attributes,
});

/** A queue of the stack. */
export interface QueueDefinition {
  readonly name: string;
  readonly arn: string;
  readonly visibilityTimeoutSeconds: number;
  /** ARN of the customer-managed key, where the queue has one. */
  readonly keyArn: string | undefined;
  /** The attributes for `CreateQueue`. */
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * Reads a queue of the template.
 *
 * @throws TemplateError for a property that the local run does not know.
 */
export function queueDefinition(resource: StackResource): QueueDefinition {
  const {
    QueueName: _name,
    Tags: _tags,
    RedriveAllowPolicy: _allow,
    RedrivePolicy,
    ...rest
  } = readProperties(resource, queueProperties);
  const given = Object.entries(rest).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    name: resource.name,
    arn: resource.attributes.Arn ?? '',
    visibilityTimeoutSeconds: Number(rest.VisibilityTimeout ?? 30),
    keyArn: rest.KmsMasterKeyId?.startsWith('arn:') ? rest.KmsMasterKeyId : undefined,
    attributes: {
      ...Object.fromEntries(given),
      ...(RedrivePolicy ? { RedrivePolicy: JSON.stringify(RedrivePolicy) } : {}),
    },
  };
}
