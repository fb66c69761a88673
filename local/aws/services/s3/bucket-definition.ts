import * as z from 'zod';
import { readProperties } from '../../template/read-properties.ts';
import type { StackResource } from '../../template/read-stack.ts';

const encryptionRule = z.looseObject({
  ServerSideEncryptionByDefault: z
    .strictObject({ SSEAlgorithm: z.string(), KMSMasterKeyID: z.string().optional() })
    .optional(),
});

const bucketProperties = z.strictObject({
  BucketName: z.string().optional(),
  BucketEncryption: z.strictObject({ ServerSideEncryptionConfiguration: z.array(encryptionRule) }).optional(),
  NotificationConfiguration: z
    .strictObject({
      EventBridgeConfiguration: z.strictObject({ EventBridgeEnabled: z.boolean().default(true) }),
    })
    .optional(),
  LifecycleConfiguration: z.unknown().optional(),
  LoggingConfiguration: z.unknown().optional(),
  OwnershipControls: z.unknown().optional(),
  PublicAccessBlockConfiguration: z.unknown().optional(),
  VersioningConfiguration: z.unknown().optional(),
  Tags: z.unknown().optional(),
});

/** A bucket of the stack. */
export interface BucketDefinition {
  readonly name: string;
  readonly arn: string;
  /** ARN of the customer-managed key, where the bucket has one. */
  readonly keyArn: string | undefined;
  /** Whether it sends its events to the default bus. */
  readonly notifiesEventBridge: boolean;
}

/**
 * Reads a bucket of the template. Lifecycle, versions and access logs have no effect here; nothing is ever public.
 *
 * @throws TemplateError for a property that the local run does not know, such as notifications past EventBridge.
 */
export function bucketDefinition(resource: StackResource): BucketDefinition {
  const { BucketEncryption, NotificationConfiguration } = readProperties(resource, bucketProperties);
  return {
    name: resource.name,
    arn: resource.attributes.Arn ?? '',
    keyArn:
      BucketEncryption?.ServerSideEncryptionConfiguration[0]?.ServerSideEncryptionByDefault?.KMSMasterKeyID,
    notifiesEventBridge: NotificationConfiguration?.EventBridgeConfiguration.EventBridgeEnabled ?? false,
  };
}
