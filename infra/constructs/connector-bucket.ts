import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  type IBucket,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Setting } from '../../shared/settings/environment.ts';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorQueue } from './connector-queue.ts';
import type { DataKey } from './data-key.ts';
import { dataPolicy } from './data-policy.ts';

/** Properties of every bucket: private, TLS only. */
export const PRIVATE = {
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  enforceSSL: true,
};

export interface ConnectorBucketProps {
  /** Setting that gives a function the bucket's name. */
  readonly variable: Extract<Setting, `${string}Bucket`>;
  /** Bucket for the server access logs, under this bucket's construct ID in lower case. */
  readonly accessLogs: IBucket;
  /** Customer-managed key for the objects. Default: S3's own key. */
  readonly encryptionKey?: DataKey;
  /** Days after which objects expire. Default: never. */
  readonly retentionDays?: number;
  /** Days for which a replaced or deleted object is kept as an older version. Default: the object is gone at once. */
  readonly replacedDays?: number;
  /** Whether the bucket outlives the stack. */
  readonly protectData: boolean;
}

/** A private bucket that accepts TLS only, and its grants. */
export class ConnectorBucket extends Construct {
  readonly bucket: Bucket;
  private readonly resource: CfnBucket;
  private readonly props: ConnectorBucketProps;

  constructor(scope: Construct, id: string, props: ConnectorBucketProps) {
    super(scope, id);
    this.props = props;
    this.bucket = new Bucket(this, 'Bucket', {
      ...PRIVATE,
      ...(props.encryptionKey
        ? { encryption: BucketEncryption.KMS, encryptionKey: props.encryptionKey.key, bucketKeyEnabled: true }
        : { encryption: BucketEncryption.S3_MANAGED }),
      serverAccessLogsBucket: props.accessLogs,
      serverAccessLogsPrefix: `${id.toLowerCase()}/`,
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
        ...(props.retentionDays ? [{ expiration: Duration.days(props.retentionDays) }] : []),
        ...(props.replacedDays ? [{ noncurrentVersionExpiration: Duration.days(props.replacedDays) }] : []),
      ],
      ...(props.replacedDays && { versioned: true }),
      removalPolicy: dataPolicy(props.protectData),
    });
    this.resource = this.bucket.node.findChild('Resource') as CfnBucket;
  }

  /**
   * Gives `fn` the bucket's name and lets it read objects whose keys begin with `prefix` (default: all). Also grants to list them:
   * otherwise S3 answers 403 for a missing object, instead of 404.
   */
  allowGet(fn: ConnectorFunction, prefix = ''): void {
    this.allowOnObjects(fn, 's3:GetObject', prefix);
    fn.allow(['s3:ListBucket'], [this.bucket.bucketArn]);
    this.props.encryptionKey?.allowThrough('s3', fn, 'kms:Decrypt');
  }

  /** Gives `fn` the bucket's name and lets it write objects whose keys begin with `prefix`. Default: all objects. */
  allowPut(fn: ConnectorFunction, prefix = ''): void {
    this.allowOnObjects(fn, 's3:PutObject', prefix);
    this.props.encryptionKey?.allowThrough('s3', fn, 'kms:GenerateDataKey');
  }

  /** Gives `fn` the bucket's name and lets it delete all objects, but no older version. */
  allowDelete(fn: ConnectorFunction): void {
    this.allowOnObjects(fn, 's3:DeleteObject', '');
  }

  /** Sends an event to `queue` for each new object whose key does not begin with `except`. */
  announce(queue: ConnectorQueue, except: string): void {
    // CDK's `eventBridgeEnabled` would deploy an extra function to set this one property.
    this.resource.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } };
    // The rule is on the default bus, the only one that S3 supports.
    new Rule(this, 'Created', {
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: {
          bucket: { name: [this.bucket.bucketName] },
          object: { key: [{ 'anything-but': { prefix: except } }] },
        },
      },
      targets: [queue.asRuleTarget()],
    });
  }

  private allowOnObjects(fn: ConnectorFunction, action: string, prefix: string): void {
    fn.set({ [this.props.variable]: this.bucket.bucketName });
    fn.allow([action], [this.bucket.arnForObjects(`${prefix}*`)]);
    const stack = Stack.of(this);
    Validations.of(fn).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${stack.getLogicalId(this.resource)}.Arn>/${prefix}*]`,
      reason: 'Objects are named by store, order, batch or time, so the keys are not known in advance.',
    });
  }
}
