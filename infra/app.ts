import { dirname, join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { bundleHandlers } from './bundle.ts';
import { ConnectorStack } from './connector-stack.ts';
import { readSettings } from './read-settings.ts';

const app = new App();
const settings = settingsOrExit();
// The bundles are beside the cloud assembly: two syntheses that run at once must not remove each other's bundles.
const bundles = await bundleHandlers({ outputDirectory: join(dirname(app.outdir), '.build', 'functions') });

new ConnectorStack(app, settings.stackName, {
  description: 'Connects the stores of one partner to a marketplace through the Partner Marketplace API',
  code: (name) => Code.fromAsset(bundles[name]),
  settings,
});

/** With unusable settings the synthesis ends and prints only their message: a stack trace would hide it. */
function settingsOrExit() {
  try {
    return readSettings(app.node);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
