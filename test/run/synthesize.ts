import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const projectDirectory = join(import.meta.dirname, '..', '..');

/** Time for one synthesis, in milliseconds; it takes about 4 s on 2 cores. */
const LIMIT_MS = 120_000;

/**
 * Synthesizes the stack by the CDK's own command line, as a deploy does, into `outputDirectory` (default `cdk.out`).
 *
 * @throws Error with the command's output when the app does not synthesize
 */
export async function synthesize(outputDirectory = join(projectDirectory, 'cdk.out')): Promise<string> {
  const cdk = join(projectDirectory, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  await promisify(execFile)(process.execPath, [cdk, 'synth', '--quiet', '--output', outputDirectory], {
    cwd: projectDirectory,
    timeout: LIMIT_MS,
    env: { ...process.env, PATH: `${join(projectDirectory, 'node_modules', '.bin')}:${process.env.PATH}` },
  });
  return join(outputDirectory, 'MarketplaceConnector.template.json');
}
