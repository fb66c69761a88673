import type { Node } from 'constructs';
import * as z from 'zod';
import type { StackSettings } from './setting-fields.ts';
import type { SettingProps } from './setting-props.ts';
import { type ConnectorSettings, connectorSettingNames, settingsSchema } from './settings.ts';

/** Names of the CDK's own context. All other names must be settings, so that a misspelt setting is refused, and not ignored. */
const CDK_NAME = /[:/]|^cli-telemetry$/;
/** Context of the CDK whose value is not a text. `-c` can only give a text, which the CDK ignores. */
const PERMISSIONS_BOUNDARY = '@aws-cdk/core:permissionsBoundary';

/**
 * Reads the settings from CDK context. An empty setting counts as not set. The name of the stack is an exception: if `$STAGE` is not set,
 * `-c stackName=$STAGE` would deploy over the stack with the default name.
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

/** Replaces values that coercion would wrongly turn into numbers: `true` into 1, `null` into 0, `[5]` into 5, `0x10` into 16. */
function writtenValue(name: string, value: unknown): unknown {
  if (value === undefined || typeof value === 'number' || !isNumeric(name)) return value;
  return typeof value === 'string' && WRITTEN_NUMBER.test(value) ? value : Number.NaN;
}

function isNumeric(name: string): boolean {
  let schema: unknown = settingsSchema.shape[name as keyof typeof settingsSchema.shape];
  while (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) schema = schema.unwrap();
  return schema instanceof z.ZodNumber;
}
