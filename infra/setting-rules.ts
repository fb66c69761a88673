import type { StackSettings } from './setting-fields.ts';

/** What must hold between settings. */
interface SettingRule {
  /** The one that is at fault. */
  readonly setting: keyof StackSettings;
  readonly message: string;
  readonly holds: (settings: StackSettings) => boolean;
}

export const SETTING_RULES: readonly SettingRule[] = [
  {
    setting: 'alarmEmail',
    message: 'must not be set beside alarmTopicArn: subscribe the address to that topic',
    holds: ({ alarmTopicArn, alarmEmail }) => alarmTopicArn === undefined || alarmEmail === undefined,
  },
  {
    setting: 'nextDayAlarmTopicArn',
    message: 'must not be set without alarmTopicArn or alarmEmail: urgent alarms would notify no one',
    holds: ({ alarmTopicArn, alarmEmail, nextDayAlarmTopicArn }) =>
      nextDayAlarmTopicArn === undefined || alarmTopicArn !== undefined || alarmEmail !== undefined,
  },
  {
    setting: 'listingsProvisionedReadUnits',
    message: 'must be set together with listingsProvisionedWriteUnits',
    holds: ({ listingsProvisionedReadUnits, listingsProvisionedWriteUnits }) =>
      (listingsProvisionedReadUnits === undefined) === (listingsProvisionedWriteUnits === undefined),
  },
  {
    setting: 'listingsProvisionedWriteUnits',
    message:
      'must not be set beside listingsWarmReadUnits or listingsWarmWriteUnits, which are for an on-demand table',
    holds: ({ listingsProvisionedWriteUnits, listingsWarmReadUnits, listingsWarmWriteUnits }) =>
      listingsProvisionedWriteUnits === undefined ||
      (listingsWarmReadUnits === undefined && listingsWarmWriteUnits === undefined),
  },
  {
    setting: 'domainName',
    message: 'must be set together with certificateArn',
    holds: ({ domainName, certificateArn }) => (domainName === undefined) === (certificateArn === undefined),
  },
  {
    setting: 'domainName',
    message:
      'must not be set beside webhookWebAclArn: WebhookUrl would have a name of CloudFront, which does not survive a move',
    holds: ({ domainName, webhookWebAclArn }) => domainName === undefined || webhookWebAclArn === undefined,
  },
  {
    setting: 'requestTimeoutSeconds',
    message: 'must be less than attemptLifetimeSeconds',
    holds: ({ requestTimeoutSeconds, attemptLifetimeSeconds }) =>
      requestTimeoutSeconds < attemptLifetimeSeconds,
  },
  {
    setting: 'webhookRateLimit',
    message: 'must be more than requestsPerSecond',
    holds: ({ requestsPerSecond, webhookRateLimit }) => requestsPerSecond < webhookRateLimit,
  },
  {
    setting: 'callbackStoreParameter',
    message: 'the three callback parameters must have different names',
    holds: ({ callbackStoreParameter, callbackTokenParameter, callbackSessionParameter }) =>
      new Set([callbackStoreParameter, callbackTokenParameter, callbackSessionParameter]).size === 3,
  },
];
