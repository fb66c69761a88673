import { fieldsSchema, type StackSettings } from './setting-fields.ts';

/**
 * The settings of the connector. A setting is CDK context of the same name: set it in `cdk.json`, or for one command with
 * `-c name=value`. Values that differ per marketplace account (`MarketplaceBaseUrl`, `PartnerClientId`) are stack parameters
 * instead, so that one template serves all.
 */
export const settingsSchema = fieldsSchema
  .refine(({ alarmTopicArn, alarmEmail }) => alarmTopicArn === undefined || alarmEmail === undefined, {
    path: ['alarmEmail'],
    message: 'must not be set beside alarmTopicArn: subscribe the address to that topic',
  })
  .refine(
    ({ alarmTopicArn, alarmEmail, nextDayAlarmTopicArn }) =>
      nextDayAlarmTopicArn === undefined || alarmTopicArn !== undefined || alarmEmail !== undefined,
    {
      path: ['nextDayAlarmTopicArn'],
      message: 'must not be set without alarmTopicArn or alarmEmail: urgent alarms would notify no one',
    },
  )
  .refine(
    ({ listingsProvisionedReadUnits, listingsProvisionedWriteUnits }) =>
      (listingsProvisionedReadUnits === undefined) === (listingsProvisionedWriteUnits === undefined),
    {
      path: ['listingsProvisionedReadUnits'],
      message: 'must be set together with listingsProvisionedWriteUnits',
    },
  )
  .refine(
    ({ listingsProvisionedWriteUnits, listingsWarmReadUnits, listingsWarmWriteUnits }) =>
      listingsProvisionedWriteUnits === undefined ||
      (listingsWarmReadUnits === undefined && listingsWarmWriteUnits === undefined),
    {
      path: ['listingsProvisionedWriteUnits'],
      message:
        'must not be set beside listingsWarmReadUnits or listingsWarmWriteUnits, which are for an on-demand table',
    },
  )
  .refine(({ domainName, certificateArn }) => (domainName === undefined) === (certificateArn === undefined), {
    path: ['domainName'],
    message: 'must be set together with certificateArn',
  })
  .refine(({ domainName, webhookWebAclArn }) => domainName === undefined || webhookWebAclArn === undefined, {
    path: ['domainName'],
    message:
      'must not be set beside webhookWebAclArn: WebhookUrl would have a name of CloudFront, which does not survive a move',
  })
  .refine(
    ({ requestTimeoutSeconds, attemptLifetimeSeconds }) => requestTimeoutSeconds < attemptLifetimeSeconds,
    { path: ['requestTimeoutSeconds'], message: 'must be less than attemptLifetimeSeconds' },
  )
  .refine(({ requestsPerSecond, webhookRateLimit }) => requestsPerSecond < webhookRateLimit, {
    path: ['webhookRateLimit'],
    message: 'must be more than requestsPerSecond',
  })
  .refine(
    ({ callbackStoreParameter, callbackTokenParameter, callbackSessionParameter }) =>
      new Set([callbackStoreParameter, callbackTokenParameter, callbackSessionParameter]).size === 3,
    {
      path: ['callbackStoreParameter'],
      message: 'the three callback parameters must have different names',
    },
  );

/** Settings of the stack around the connector. */
const STACK_SETTINGS = [
  'stackName',
  'tags',
  'permissionsBoundaryArn',
  'alarmTopicArn',
  'nextDayAlarmTopicArn',
  'alarmEmail',
] as const;

type StackSetting = (typeof STACK_SETTINGS)[number];

/** The settings of the connector itself. */
export type ConnectorSettings = Omit<StackSettings, StackSetting>;

const settingNames = Object.keys(settingsSchema.shape);
export const connectorSettingNames = settingNames.filter(
  (name) => !STACK_SETTINGS.includes(name as StackSetting),
);

export function connectorSettingsOf(settings: StackSettings): ConnectorSettings {
  const own = Object.entries(settings).filter(([name]) => connectorSettingNames.includes(name));
  return Object.fromEntries(own) as ConnectorSettings;
}

/** Whether tables and the stack refuse deletion. In a first deployment they don't: after a failure, it could not be removed. */
export function refusesDeletion({
  protectData,
  firstDeployment,
}: Pick<StackSettings, 'protectData' | 'firstDeployment'>): boolean {
  return protectData && !firstDeployment;
}
