import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Overrides the setting `stackName`, so that the template's path is known. */
const STACK_NAME = 'MarketplaceConnector';

const projectDirectory = join(import.meta.dirname, '..', '..');

/** Milliseconds for one synthesis, including the wait for another run. A synthesis takes about 4 s on 2 cores. */
const LIMIT_MS = 120_000;
const POLL_EVERY_MS = 500;

/**
 * Synthesizes the stack with the CDK's command line, as a deployment does, into `outputDirectory` (default `cdk.out`).
 * Waits while another run uses the same folder, which the CDK refuses to share.
 *
 * @param options.signal ends the work
 * @returns path of the template
 * @throws Error with the command's output when the synthesis fails or `signal` aborts
 */
export async function synthesize({
  outputDirectory = join(projectDirectory, 'cdk.out'),
  signal,
}: {
  outputDirectory?: string;
  signal?: AbortSignal;
} = {}): Promise<string> {
  const deadline = Date.now() + LIMIT_MS;
  while (!(await synthesized(outputDirectory, deadline, signal))) await pause(POLL_EVERY_MS);
  return join(outputDirectory, `${STACK_NAME}.template.json`);
}

/** @returns false while another run uses the folder */
async function synthesized(
  outputDirectory: string,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const cdk = join(projectDirectory, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  try {
    const options = ['--quiet', '--output', outputDirectory, '--context', `stackName=${STACK_NAME}`];
    await promisify(execFile)(process.execPath, [cdk, 'synth', ...options], {
      cwd: projectDirectory,
      timeout: LIMIT_MS,
      ...(signal === undefined ? {} : { signal }),
      env: { ...process.env, PATH: `${join(projectDirectory, 'node_modules', '.bin')}:${process.env.PATH}` },
    });
    return true;
  } catch (error) {
    if (Date.now() < deadline && /(Other CLIs|Another CLI) \(PID=/.test(String(error))) return false;
    const { stderr } = error as { stderr?: string };
    throw new Error(`the synthesis of the stack failed: ${stderr?.trim() || String(error)}`, {
      cause: error,
    });
  }
}
