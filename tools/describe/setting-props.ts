import { join } from 'node:path';
import { connectorSettingNames } from '../../infra/settings.ts';
import { rangeText } from './pages/schema-text.ts';
import { type DescribedSetting, describedSettings } from './pages/settings-table.ts';

/** The file that {@link settingProps} is the text of. */
export const settingPropsFile = join(import.meta.dirname, '..', '..', 'infra', 'setting-props.ts');

/** The connector's settings as an interface, whose comments editors show: meaning, unit, range and default of each. */
export function settingProps(): string {
  const settings = describedSettings();
  const members = connectorSettingNames.map((name) => member(name, settings[name] ?? {}));
  return `// Generated from the schema in settings.ts: npm run describe

/** The settings of the connector; those that are left out have their defaults. */
export interface SettingProps {
${members.join('\n')}
}
`;
}

function member(name: string, setting: DescribedSetting): string {
  const range = rangeText(setting).trim();
  const facts = [
    setting.description ?? '',
    setting.unit && `Unit: ${setting.unit}${range && `, ${range}`}.`,
    setting.default !== undefined && `Default: ${String(setting.default)}.`,
  ];
  // A setting without a default may also be given as `undefined`, as the schema's own output has it.
  const type = setting.default === undefined ? `${typeText(setting)} | undefined` : typeText(setting);
  return `  /** ${facts.filter(Boolean).join(' ')} */\n  readonly ${name}?: ${type};`;
}

function typeText({ enum: values, type }: DescribedSetting): string {
  if (values !== undefined) return values.map((value) => `'${String(value)}'`).join(' | ');
  if (type === 'string') return type;
  return type === 'integer' || type === 'number' ? 'number' : 'boolean';
}
