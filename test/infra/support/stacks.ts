import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import cdkConfiguration from '../../../cdk.json' with { type: 'json' };
import { ConnectorStack } from '../../../infra/connector-stack.ts';
import type { StackSettings } from '../../../infra/setting-fields.ts';
import { settingsSchema } from '../../../infra/settings.ts';

/** Code in place of a bundle: the template does not depend on what a function does. */
export function inlineCode(): Code {
  return Code.fromInline('exports.handler = async () => {};');
}

/** An app with the feature flags of `cdk.json`, as the CDK CLI would start it. */
export function createApp(context: Record<string, unknown> = {}): App {
  return new App({ context: { ...cdkConfiguration.context, ...context } });
}

/** An empty stack, as a partner's own app would have one. */
export function createPartnerStack(): Stack {
  return new Stack(createApp(), 'Partner');
}

/** The connector's stack with `settings` and defaults for the others. */
export function createConnectorStack(settings: Partial<StackSettings> = {}): ConnectorStack {
  const parsed = settingsSchema.parse(settings);
  return new ConnectorStack(createApp(), parsed.stackName, { code: inlineCode, settings: parsed });
}

const templates = new Map<string, Template>();

/** The template of that stack, synthesized once for all tests of a worker. */
export function connectorTemplate(settings: Partial<StackSettings> = {}): Template {
  const key = JSON.stringify(settings);
  const template = templates.get(key) ?? Template.fromStack(createConnectorStack(settings));
  templates.set(key, template);
  return template;
}
