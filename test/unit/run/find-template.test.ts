import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findTemplate } from '../../../local/run/find-template.ts';

const CONNECTOR = {
  Resources: {
    F: {
      Type: 'AWS::Lambda::Function',
      Properties: { Environment: { Variables: { MARKETPLACE_BASE_URL: 'https://marketplace.example' } } },
    },
  },
};
const OTHER = { Resources: { Q: { Type: 'AWS::SQS::Queue' } } };

let cdkOut: string;
beforeEach(() => {
  cdkOut = mkdtempSync(join(tmpdir(), 'cdk-out-'));
});
afterEach(() => rmSync(cdkOut, { recursive: true }));

function lay(files: Readonly<Record<string, object>>): void {
  for (const [path, template] of Object.entries(files)) {
    const file = join(cdkOut, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(template));
  }
}

describe('the template of a synthesized CDK app', () => {
  test('is the one that has a connector, also in a stage', async () => {
    lay({ 'Network.template.json': OTHER, 'assembly-Prod/ProdShop.template.json': CONNECTOR });
    expect(await findTemplate({ cdkOut })).toBe(join(cdkOut, 'assembly-Prod/ProdShop.template.json'));
  });

  test('has its full path, wherever its folder is named from', async () => {
    lay({ 'Shop.template.json': CONNECTOR });
    const path = relative(process.cwd(), cdkOut);
    expect(await findTemplate({ cdkOut: path })).toBe(join(cdkOut, 'Shop.template.json'));
  });

  test('has to be named if several have a connector, and can be', async () => {
    lay({ 'Dev.template.json': CONNECTOR, 'Prod.template.json': CONNECTOR });
    await expect(findTemplate({ cdkOut })).rejects.toThrow(
      /: (Dev|Prod)\.template\.json, (Dev|Prod)\.template\.json have a MarketplaceConnector: name one of these files$/,
    );
    const file = join(cdkOut, 'Prod.template.json');
    expect(await findTemplate({ cdkOut: file })).toBe(file);
  });

  test('is not that of a package which the app has installed', async () => {
    lay({
      'Shop.template.json': CONNECTOR,
      'node_modules/marketplace-connector/dist/local/cdk.out/MarketplaceConnector.template.json': CONNECTOR,
    });
    expect(await findTemplate({ cdkOut })).toBe(join(cdkOut, 'Shop.template.json'));
  });

  test('is missed in one line', async () => {
    lay({ 'Network.template.json': OTHER });
    await expect(findTemplate({ cdkOut })).rejects.toThrow(/no template there has a MarketplaceConnector/);
    const nowhere = join(cdkOut, 'nowhere');
    await expect(findTemplate({ cdkOut: nowhere })).rejects.toThrow(
      `--cdk-out ${nowhere}: there is no such folder`,
    );
  });
});
