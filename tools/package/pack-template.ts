import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { ConnectorStack } from '../../infra/connector-stack.ts';
import { readSettings } from '../../infra/read-settings.ts';

const STACK_NAME = 'MarketplaceConnector';
/** Assets are named where they are, and not copied. */
const CONTEXT = { ...cdkJson.context, 'aws:cdk:disable-asset-staging': true, stackName: STACK_NAME };

interface Assets {
  readonly files: Readonly<Record<string, { readonly source: { path: string } }>>;
}

/**
 * Synthesizes the stack of this repository with its default settings. The template's assets are the functions' bundles where
 * the package has them anyway, by relative paths.
 */
export function packTemplate({
  bundles,
  outputDirectory,
}: {
  /** Folder with the bundle of each function. */
  bundles: string;
  outputDirectory: string;
}): void {
  const assembly = mkdtempSync(join(tmpdir(), 'connector-template-'));
  try {
    const app = new App({ outdir: assembly, context: CONTEXT });
    new ConnectorStack(app, STACK_NAME, {
      description: 'Connects the stores of one partner to a marketplace through the Partner Marketplace API',
      code: (name) => Code.fromAsset(join(bundles, name)),
      settings: readSettings(app.node),
    });
    app.synth();
    mkdirSync(outputDirectory, { recursive: true });
    cpSync(
      join(assembly, `${STACK_NAME}.template.json`),
      join(outputDirectory, `${STACK_NAME}.template.json`),
    );
    const assets: Assets = JSON.parse(readFileSync(join(assembly, `${STACK_NAME}.assets.json`), 'utf8'));
    for (const { source } of Object.values(assets.files))
      if (source.path.startsWith(bundles)) source.path = relative(outputDirectory, source.path);
    writeFileSync(join(outputDirectory, `${STACK_NAME}.assets.json`), JSON.stringify(assets));
  } finally {
    rmSync(assembly, { recursive: true, force: true });
  }
}
