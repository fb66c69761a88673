import { Rule } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import { ConnectorBucket, type ConnectorBucketProps } from './connector-bucket.ts';
import type { ConnectorQueue } from './connector-queue.ts';

/** A bucket that tells EventBridge's default bus about its objects; S3 knows no other bus. */
export class ImportBucket extends ConnectorBucket {
  constructor(scope: Construct, id: string, props: ConnectorBucketProps) {
    super(scope, id, props);
    // CDK's `eventBridgeEnabled` deploys a function of its own for what is one property of the bucket.
    this.resource.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } };
  }

  /** Announces each new object whose key starts with `prefix` to `queue`. */
  announce(prefix: string, queue: ConnectorQueue): void {
    new Rule(this, 'Created', {
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: { bucket: { name: [this.bucket.bucketName] }, object: { key: [{ prefix }] } },
      },
      targets: [queue.asRuleTarget()],
    });
  }
}
