import { Duration } from 'aws-cdk-lib';
import { Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { S3_SERVER_ACCESS_LOGS_USE_BUCKET_POLICY } from 'aws-cdk-lib/cx-api';
import { Construct } from 'constructs';
import { REPLACED_DOCUMENT_DAYS } from '../../shared/settings/stack-rules.ts';
import type { ConnectorSettings } from '../settings.ts';
import { ConnectorBucket, PRIVATE } from './connector-bucket.ts';
import type { DataKey } from './data-key.ts';
import { dataPolicy } from './data-policy.ts';

/** The connector's buckets, and one for their access logs. */
export class ConnectorBuckets extends Construct {
  /** Files that partners put, and the reports about them. */
  readonly imports: ConnectorBucket;
  /** Shipping labels and invoices, which name the seller's customers. */
  readonly documents: ConnectorBucket;
  /** Raw webhook bodies, request bodies and commands too large for a queue. */
  readonly archive: ConnectorBucket;

  constructor(scope: Construct, id: string, settings: ConnectorSettings, encryptionKey: DataKey) {
    super(scope, id);
    // Set here, as the app may not set this flag. Without it, CDK lets S3 write the logs by an ACL, which the bucket refuses.
    this.node.setContext(S3_SERVER_ACCESS_LOGS_USE_BUCKET_POLICY, true);
    const { archiveRetentionDays: retentionDays, documentRetentionDays, protectData } = settings;
    const accessLogs = new Bucket(this, 'AccessLogs', {
      ...PRIVATE,
      encryption: BucketEncryption.S3_MANAGED,
      lifecycleRules: [{ expiration: Duration.days(retentionDays) }],
      removalPolicy: dataPolicy(protectData),
      // With exactOptionalPropertyTypes CDK's class does not match its own interface.
    }) as IBucket;
    const common = { accessLogs, protectData };
    const expiring = { ...common, retentionDays };
    this.imports = new ConnectorBucket(this, 'Imports', { ...expiring, variable: 'importBucket' });
    this.documents = new ConnectorBucket(this, 'Documents', {
      ...common,
      retentionDays: documentRetentionDays,
      replacedDays: REPLACED_DOCUMENT_DAYS,
      variable: 'documentBucket',
      encryptionKey,
    });
    this.archive = new ConnectorBucket(this, 'Archive', { ...expiring, variable: 'archiveBucket' });
  }
}
