import type { Node } from 'constructs';
import * as z from 'zod';
import type { StackSettings } from './setting-fields.ts';
import type { SettingProps } from './setting-props.ts';
import { type ConnectorSettings, connectorSettingNames, settingsSchema } from './settings.ts';

/** Names of the CDK's own context. All others are settings: a misspelt one is refused, and not ignored. */
const CDK_NAME = /[:/]|^cli-telemetry$/;
/** Context of the CDK that has a form which the command line can't give: `-c` gives text, which the CDK ignores. */
const PERMISSIONS_BOUNDARY = '@aws-cdk/core:permissionsBoundary';

/**
 * Reads the settings from CDK context. An empty one counts as not set, but for the name of the stack: `-c stackName=$STAGE` of a
 * variable that is not set would deploy over the stack of the default name.
 *
 * @param node the construct node whose context is read, usually the app's
 * @throws Error that names every unknown setting and all allowed ones, or every setting with an unusable value
 */
export function readSettings(node: Node): StackSettings {
  const all: Readonly<Record<string, unknown>> = node.getAllContext();
  if (typeof all[PERMISSIONS_BOUNDARY] === 'string') {
    throw new Error(`${PERMISSIONS_BOUNDARY} as text has no effect: set permissionsBoundaryArn`);
  }
  const context = Object.entries(all).filter(
    ([name, value]) => !CDK_NAME.test(name) && (value !== '' || name === 'stackName'),
  );
  return parseSettings(Object.fromEntries(context), {
    names: Object.keys(settingsSchema.shape),
    place: ' in the CDK context',
  });
}

/**
 * Adds the defaults of missing settings.
 *
 * @throws Error that names every unknown setting and all allowed ones, or every setting with an unusable value
 */
export function completeSettings(given: SettingProps): ConnectorSettings {
  return parseSettings({ ...given }, { names: connectorSettingNames, place: '' });
}

function parseSettings(
  given: Readonly<Record<string, unknown>>,
  { names, place }: { names: readonly string[]; place: string },
): StackSettings {
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new Error(`Unknown settings${place}: ${unknown.join(', ')}; allowed: ${names.join(', ')}`);
  }
  const result = settingsSchema.safeParse(
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, writtenValue(name, value)])),
  );
  if (!result.success) throw new Error(`Unusable settings${place}:\n${z.prettifyError(result.error)}`);
  return result.data;
}

const WRITTEN_NUMBER = /^\s*\d+(\.\d+)?\s*$/;

/** A value that is no number in place of each that would be made one: of `true` 1, of `null` 0, of `[5]` 5, of `0x10` 16. */
function writtenValue(name: string, value: unknown): unknown {
  if (value === undefined || typeof value === 'number' || !isNumeric(name)) return value;
  return typeof value === 'string' && WRITTEN_NUMBER.test(value) ? value : Number.NaN;
}

function isNumeric(name: string): boolean {
  let schema: unknown = settingsSchema.shape[name as keyof typeof settingsSchema.shape];
  while (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) schema = schema.unwrap();
  return schema instanceof z.ZodNumber;
}
