import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { bundleHandlers } from './bundle.ts';
import { ConnectorStack } from './connector-stack.ts';
import { readSettings } from './settings.ts';

const app = new App();
const bundles = await bundleHandlers();
const settings = readSettings(app.node);

new ConnectorStack(app, settings.stackName, {
  description: 'Connects the stores of one partner to a marketplace through the Partner Marketplace API',
  code: (name) => Code.fromAsset(bundles[name]),
  settings,
});
