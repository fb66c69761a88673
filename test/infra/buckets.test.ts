import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { connectorTemplate } from './support/stacks.ts';
import { functionsOf } from './support/template.ts';

const template = connectorTemplate();
const buckets = Object.entries(template.findResources('AWS::S3::Bucket'));

function bucketOf(name: string) {
  const [, bucket] = buckets.find(([logicalId]) => logicalId.startsWith(`Buckets${name}`)) ?? [];
  return bucket?.Properties;
}

describe('buckets', () => {
  it.each(buckets)('%s is private, encrypted and retained with the data', (_id, bucket) => {
    expect(bucket.Properties.PublicAccessBlockConfiguration).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    expect(bucket.Properties.BucketEncryption.ServerSideEncryptionConfiguration).toHaveLength(1);
    expect(bucket.DeletionPolicy).toBe('RetainExceptOnCreate');
  });

  it.each(buckets)('%s refuses access without TLS', (logicalId) => {
    template.hasResourceProperties('AWS::S3::BucketPolicy', {
      Bucket: { Ref: logicalId },
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Action: 's3:*',
            Principal: { AWS: '*' },
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ]),
      },
    });
  });

  it('keeps documents under the customer-managed key, for the days of a setting', () => {
    const [encryption] = bucketOf('Documents').BucketEncryption.ServerSideEncryptionConfiguration;

    expect(encryption.ServerSideEncryptionByDefault.SSEAlgorithm).toBe('aws:kms');
    expect(bucketOf('Documents').LifecycleConfiguration.Rules).toContainEqual({
      ExpirationInDays: 180,
      Status: 'Enabled',
    });
  });

  it('keeps replaced and erased documents as older versions for 7 days, and no older versions of other objects', () => {
    expect(bucketOf('Documents').VersioningConfiguration).toEqual({ Status: 'Enabled' });
    expect(bucketOf('Documents').LifecycleConfiguration.Rules).toContainEqual({
      NoncurrentVersionExpiration: { NoncurrentDays: 7 },
      Status: 'Enabled',
    });
    for (const name of ['Imports', 'Archive'])
      expect(bucketOf(name)).not.toHaveProperty('VersioningConfiguration');
  });

  it('lets no function read or delete an older version of a document', () => {
    const actions = functionsOf(template).flatMap(({ statements }) =>
      statements.flatMap((one) => one.actions),
    );
    expect(actions).toContain('s3:DeleteObject');
    expect(actions.filter((action) => /^s3:.*Version/.test(action))).toEqual([]);
  });

  it.each(['Imports', 'Archive'])('deletes objects of %s after 90 days', (name) => {
    expect(bucketOf(name).LifecycleConfiguration.Rules).toContainEqual({
      ExpirationInDays: 90,
      Status: 'Enabled',
    });
  });

  it.each(functionsOf(template).map((fn) => [fn.name, fn] as const))(
    'show %s that an object does not exist wherever it reads objects: S3 would say that it is forbidden',
    (_name, { statements }) => {
      const bucketsOf = (action: string) =>
        statements
          .filter(({ actions }) => actions.includes(action))
          .flatMap(({ resources }) => resources.map((resource) => resource.replace(/\/.*/, '')));

      expect(bucketsOf('s3:ListBucket').sort()).toEqual([...new Set(bucketsOf('s3:GetObject'))].sort());
    },
  );

  it('sends imported files to EventBridge by a property, without a custom resource', () => {
    expect(bucketOf('Imports').NotificationConfiguration).toEqual({
      EventBridgeConfiguration: { EventBridgeEnabled: true },
    });
    const types = Object.values(template.toJSON().Resources as Record<string, { Type: string }>);
    expect(types.filter(({ Type }) => Type.startsWith('Custom::'))).toEqual([]);
  });
});
