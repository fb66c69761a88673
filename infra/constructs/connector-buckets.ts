import { Duration } from 'aws-cdk-lib';
import { Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { S3_SERVER_ACCESS_LOGS_USE_BUCKET_POLICY } from 'aws-cdk-lib/cx-api';
import { Construct } from 'constructs';
import type { ConnectorSettings } from '../settings.ts';
import { ConnectorBucket, PRIVATE } from './connector-bucket.ts';
import type { DataKey } from './data-key.ts';
import { dataPolicy } from './data-policy.ts';

export interface ConnectorBucketsProps
  extends Pick<ConnectorSettings, 'archiveRetentionDays' | 'protectData'> {
  /** Key for the order documents, which name the seller's customers. */
  readonly encryptionKey: DataKey;
}

/** The connector's buckets, and one for their access logs. */
export class ConnectorBuckets extends Construct {
  /** Files that partners put, and the reports about them. */
  readonly imports: ConnectorBucket;
  /** Shipping labels and invoices. */
  readonly documents: ConnectorBucket;
  /** Raw webhook bodies, request bodies and commands too large for a queue. */
  readonly archive: ConnectorBucket;

  constructor(scope: Construct, id: string, props: ConnectorBucketsProps) {
    super(scope, id);
    // Whatever the flags of the app: without this one, CDK lets S3 write the logs by an ACL, which the bucket refuses.
    this.node.setContext(S3_SERVER_ACCESS_LOGS_USE_BUCKET_POLICY, true);
    const { encryptionKey, archiveRetentionDays: retentionDays, protectData } = props;
    const bucket = new Bucket(this, 'AccessLogs', {
      ...PRIVATE,
      encryption: BucketEncryption.S3_MANAGED,
      lifecycleRules: [{ expiration: Duration.days(retentionDays) }],
      removalPolicy: dataPolicy(protectData),
      // With exactOptionalPropertyTypes CDK's class does not match its own interface.
    }) as IBucket;

    this.imports = new ConnectorBucket(this, 'Imports', {
      variable: 'importBucket',
      accessLogs: { bucket, prefix: 'imports/' },
      retentionDays,
      protectData,
    });
    this.documents = new ConnectorBucket(this, 'Documents', {
      variable: 'documentBucket',
      accessLogs: { bucket, prefix: 'documents/' },
      encryptionKey,
      protectData,
    });
    this.archive = new ConnectorBucket(this, 'Archive', {
      variable: 'archiveBucket',
      accessLogs: { bucket, prefix: 'archive/' },
      retentionDays,
      protectData,
    });
  }
}
