import { fieldsSchema, type StackSettings } from './setting-fields.ts';
import { SETTING_RULES } from './setting-rules.ts';

/**
 * The settings of the connector. A setting is CDK context of the same name: set it in `cdk.json`, or for one command with
 * `-c name=value`. Values that differ per marketplace account (`MarketplaceBaseUrl`, `PartnerClientId`) are stack parameters
 * instead, so that one template serves all.
 */
export const settingsSchema = fieldsSchema.superRefine((settings, { addIssue }) => {
  for (const { setting, holds, message } of SETTING_RULES) {
    if (!holds(settings)) addIssue({ code: 'custom', path: [setting], message });
  }
});

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
/** Names of the settings of the connector itself. */
export const connectorSettingNames = settingNames.filter(
  (name) => !STACK_SETTINGS.includes(name as StackSetting),
);

/** The settings of the connector itself, of all settings. */
export function connectorSettingsOf(settings: StackSettings): ConnectorSettings {
  const own = Object.entries(settings).filter(([name]) => connectorSettingNames.includes(name));
  return Object.fromEntries(own) as ConnectorSettings;
}

/** Whether tables and the stack refuse deletion: a first deployment that failed could then not be removed. */
export function refusesDeletion({
  protectData,
  firstDeployment,
}: Pick<StackSettings, 'protectData' | 'firstDeployment'>): boolean {
  return protectData && !firstDeployment;
}
