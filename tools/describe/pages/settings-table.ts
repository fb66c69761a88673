import * as z from 'zod';
import { settingsSchema } from '../../../infra/settings.ts';
import { markdownTable } from './markdown.ts';
import { type JsonSchema, rangeText } from './schema-text.ts';

/** What the schema of a setting says of it. */
export type DescribedSetting = JsonSchema & { readonly unit?: string };

/** Every setting by its name. */
export function describedSettings(): Readonly<Record<string, DescribedSetting>> {
  const { properties = {} } = z.toJSONSchema(settingsSchema, { io: 'output', unrepresentable: 'any' }) as {
    properties?: Readonly<Record<string, DescribedSetting>>;
  };
  return properties;
}

/** Every setting with its default, unit and meaning, as its schema has them. */
export function settingsTable(): string {
  return markdownTable(
    ['setting', 'default', 'unit', 'allowed', 'meaning'],
    Object.entries(describedSettings()).map(([name, setting]) => [
      `\`${name}\``,
      setting.default === undefined ? 'none' : `\`${String(setting.default)}\``,
      setting.unit ?? '',
      allowed(setting),
      setting.description ?? '',
    ]),
  );
}

function allowed(setting: DescribedSetting): string {
  if (setting.enum !== undefined) return setting.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (setting.anyOf !== undefined) return '`true`, `false`';
  if (setting.format === 'email') return 'e-mail address';
  if (setting.pattern !== undefined) return `text that matches \`${setting.pattern}\``;
  return `${setting.type ?? ''}${rangeText(setting)}`;
}
