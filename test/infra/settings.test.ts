import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../infra/read-settings.ts';
import { settingsSchema } from '../../infra/settings.ts';
import { createApp } from './support/stacks.ts';

const CERTIFICATE = 'arn:aws:acm:eu-central-1:123456789012:certificate/1a2b';
const WEB_ACL = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/acl/1a2b';

describe('settings', () => {
  it('have these defaults', () => {
    expect(readSettings(createApp().node)).toMatchObject({
      stackName: 'MarketplaceConnector',
      itemsPerRequest: 100,
      requestsPerSecond: 5,
      requestsInFlight: 5,
      pageSize: 50,
      attemptLifetimeSeconds: 30,
      credentialsRetrySeconds: 60,
      batchDeadlineMinutes: 15,
      webhookVerification: 'marketplace-hmac',
      webhookReplayWindowSeconds: 300,
      protectData: true,
    });
  });

  it('are read from text, as `cdk -c name=value` passes them', () => {
    const app = createApp({ itemsPerRequest: '25', protectData: 'false', requestsPerSecond: '0.5' });

    expect(readSettings(app.node)).toMatchObject({
      itemsPerRequest: 25,
      protectData: false,
      requestsPerSecond: 0.5,
    });
  });

  it.each([
    ['itemsPerRequest', '0'],
    ['requestsInFlight', '1.5'],
    ['webhookVerification', 'none'],
    ['logRetentionDays', '31'],
    ['protectData', 'perhaps'],
    ['alarmTopicArn', 'operators'],
    ['alarmTopicArn', 'arn:operators'],
    ['alarmTopicArn', 'arn:aws:sqs:eu-central-1:123456789012:operators'],
    ['nextDayAlarmTopicArn', 'tickets'],
    ['alarmEmail', 'operators'],
    ['alarmOkMessages', 'perhaps'],
    ['firstDeployment', 'perhaps'],
    ['tags', 'team'],
    ['tags', 'team=shop,stage'],
    ['permissionsBoundaryArn', 'boundary'],
    ['senderAccounts', '123456789012;210987654321'],
    ['senderAccounts', '1234'],
    ['domainName', 'https://connector.partner.example'],
    ['domainName', 'connector'],
    ['certificateArn', 'arn:aws:iam::123456789012:server-certificate/c'],
    ['partnerSecretArn', 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:key'],
    ['webhookWebAclArn', 'arn:aws:wafv2:eu-central-1:123456789012:regional/webacl/acl/1a2b'],
    ['archiveRetentionDays', '14'],
    ['recordRetentionDays', '14'],
    ['orderRetentionDays', '14'],
    ['listingsWarmWriteUnits', '3999'],
    ['listingsProvisionedReadUnits', '5000'],
    ['tracing', 'active'],
    ['stackName', 'a_b'],
    ['stackName', 'S'.repeat(41)],
    ['callbackStoreParameter', 'storeToken'],
  ])('refuse %s=%s and name the setting', (name, value) => {
    expect(() => readSettings(createApp({ [name]: value }).node)).toThrow(
      new RegExp(`Unusable settings in the CDK context:[^]*${name}`),
    );
  });

  it.each([true, null, [50], ' ', '0x10', '1e3', '5,5'])(
    'refuse %j as a number, which it could be made',
    (value) => {
      expect(() => readSettings(createApp({ itemsPerRequest: value }).node)).toThrow(/itemsPerRequest/);
      expect(() => readSettings(createApp({ gatherChangesSeconds: value }).node)).toThrow(
        /gatherChangesSeconds/,
      );
    },
  );

  it('end the synthesis with their message alone if one is unusable', async () => {
    const env = { ...process.env, CDK_CONTEXT_JSON: '{"protectData":"perhaps"}' };
    const synthesis = promisify(execFile)(process.execPath, ['infra/app.ts'], { env });

    await expect(synthesis).rejects.toMatchObject({
      code: 1,
      stderr: 'Unusable settings in the CDK context:\n✖ must be true or false\n  → at protectData\n',
    });
  });

  it('refuse a name that is none of a setting, with all that are', () => {
    const read = () => readSettings(createApp({ itemPerRequest: '50' }).node);

    expect(read).toThrow(/Unknown settings in the CDK context: itemPerRequest; allowed: stackName, tags, /);
    for (const name of Object.keys(settingsSchema.shape)) expect(read).toThrow(name);
  });

  it.each(['items_per_request', 'ItemsPerRequest', 'items-per-request', 'itemsPerRequest2'])(
    'refuse the name %s, which no context of the CDK has',
    (name) => {
      expect(() => readSettings(createApp({ [name]: '50' }).node)).toThrow(
        `Unknown settings in the CDK context: ${name}; allowed: `,
      );
    },
  );

  it('refuse a permissions boundary in a form that the CDK ignores', () => {
    const name = '@aws-cdk/core:permissionsBoundary';

    expect(() => readSettings(createApp({ [name]: 'boundary' }).node)).toThrow('set permissionsBoundaryArn');
    expect(readSettings(createApp({ [name]: { name: 'boundary' } }).node).itemsPerRequest).toBe(100);
  });

  it.each([
    [{ domainName: 'connector.partner.example' }, 'domainName'],
    [{ certificateArn: CERTIFICATE }, 'domainName'],
    [
      { domainName: 'connector.partner.example', certificateArn: CERTIFICATE, webhookWebAclArn: WEB_ACL },
      'domainName',
    ],
  ])('refuse %j', (settings, name) => {
    expect(settingsSchema.safeParse(settings).error?.issues).toMatchObject([{ path: [name] }]);
  });

  it('leave what the CDK keeps in its context alone', () => {
    const context = {
      'aws:cdk:enable-asset-metadata': true,
      'availability-zones:account=1:region=r': ['r-a'],
    };

    expect(readSettings(createApp(context).node)).toMatchObject({ itemsPerRequest: 100 });
  });

  it('count as not set where they are empty', () => {
    const { alarmTopicArn, itemsPerRequest } = readSettings(
      createApp({ alarmTopicArn: '', itemsPerRequest: '' }).node,
    );

    expect([alarmTopicArn, itemsPerRequest]).toEqual([undefined, 100]);
  });

  it('refuse an empty name of the stack, which would deploy over the stack of the default name', () => {
    expect(() => readSettings(createApp({ stackName: '' }).node)).toThrow(/→ at stackName/);
  });

  it('refuse an e-mail address for alarms beside a topic', () => {
    const result = settingsSchema.safeParse({
      alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:operators',
      alarmEmail: 'operators@partner.example',
    });

    expect(result.error?.issues).toMatchObject([{ path: ['alarmEmail'] }]);
  });

  it('refuse a topic for the next day if urgent alarms would notify no one', () => {
    const nextDayAlarmTopicArn = 'arn:aws:sns:eu-central-1:123456789012:tickets';

    expect(settingsSchema.safeParse({ nextDayAlarmTopicArn }).error?.issues).toMatchObject([
      { path: ['nextDayAlarmTopicArn'] },
    ]);
    expect(
      settingsSchema.safeParse({ nextDayAlarmTopicArn, alarmEmail: 'operators@partner.example' }).success,
    ).toBe(true);
  });

  it('refuse warm throughput beside provisioned units', () => {
    const units = { listingsProvisionedReadUnits: 5_000, listingsProvisionedWriteUnits: 5_000 };

    expect(settingsSchema.safeParse(units).success).toBe(true);
    expect(settingsSchema.safeParse({ ...units, listingsWarmWriteUnits: 4_000 }).error?.issues).toMatchObject(
      [{ path: ['listingsProvisionedWriteUnits'] }],
    );
  });

  it('refuse two query parameters with the same name', () => {
    const result = settingsSchema.safeParse({ callbackTokenParameter: 'sid' });

    expect(result.error?.issues).toMatchObject([{ path: ['callbackStoreParameter'] }]);
  });

  it('refuse a webhook throttle that lets fewer final summaries in than requests may go out', () => {
    const result = settingsSchema.safeParse({ requestsPerSecond: 100 });

    expect(result.error?.issues).toMatchObject([
      { path: ['webhookRateLimit'], message: 'must be more than requestsPerSecond' },
    ]);
  });

  it('refuse a request timeout that is not below the attempt lifetime', () => {
    const result = settingsSchema.safeParse({ requestTimeoutSeconds: 20, attemptLifetimeSeconds: 20 });

    expect(result.error?.issues).toMatchObject([
      { path: ['requestTimeoutSeconds'], message: 'must be less than attemptLifetimeSeconds' },
    ]);
  });
});
