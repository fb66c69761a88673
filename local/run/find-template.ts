import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { functionVariables, MARKETPLACE_URL } from './marketplace-values.ts';
import { synthesize } from './synthesize.ts';

/** Path of the template in the package, beside this program's bundle. */
const PACKED = join(import.meta.dirname, 'cdk.out', 'MarketplaceConnector.template.json');

/** Whether this program runs from the package, and not from the repository. */
export const isPacked = existsSync(PACKED);

/**
 * The template to run: the given template, or the package's. In the repository, without a given template, one is synthesized now.
 *
 * @param options.cdkOut a template, or a folder into which a CDK app was synthesized
 * @throws Error of one line if there is no template with a connector, or more than one
 */
export async function findTemplate({
  cdkOut,
  ...synthesis
}: { cdkOut: string | undefined } & Parameters<typeof synthesize>[0]): Promise<string> {
  // The path must be absolute, as functions have their own working folders.
  if (cdkOut !== undefined) return resolve(connectorTemplate(cdkOut));
  return isPacked ? PACKED : synthesize(synthesis);
}

function connectorTemplate(path: string): string {
  if (!existsSync(path)) throw new Error(`--cdk-out ${path}: there is no such folder`);
  if (statSync(path).isFile()) return path;
  const files = globSync('**/*.template.json', { cwd: path, exclude: ['**/asset.*', '**/node_modules'] })
    .map((file) => join(path, file))
    .filter(hasConnector);
  const [file] = files;
  if (file === undefined)
    throw new Error(
      `--cdk-out ${path}: no template there has a MarketplaceConnector: run \`cdk synth\` first`,
    );
  if (files.length > 1)
    throw new Error(
      `--cdk-out ${path}: ${files.map((one) => relative(path, one)).join(', ')} have a MarketplaceConnector: name one of these files`,
    );
  return file;
}

function hasConnector(file: string): boolean {
  const template = JSON.parse(readFileSync(file, 'utf8'));
  return functionVariables(template).some((variables) => MARKETPLACE_URL in variables);
}
