import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Whatever the settings call the stages in the cloud: here there is one. */
const STACK_NAME = 'MarketplaceConnector';

/** Settings that name what is in the account beside the stack, as they are here: not set. */
const ELSEWHERE = { partnerSecretArn: '', webhookWebAclArn: '' };

const projectDirectory = join(import.meta.dirname, '..', '..');

/** Time for one synthesis, in milliseconds, waiting for others included; it takes about 4 s on 2 cores. */
const LIMIT_MS = 120_000;
const LOOK_AGAIN_MS = 500;

/**
 * Synthesizes the stack by the CDK's own command line, as a deploy does, into `outputDirectory` (default `cdk.out`).
 * Waits while another run synthesizes into the same folder, which the CDK refuses to share.
 *
 * @param options.settings settings in place of those of `cdk.json`
 * @param options.signal ends the work
 * @returns path of the template
 * @throws Error with the command's output when the app does not synthesize, or when `signal` aborts
 */
export async function synthesize({
  outputDirectory = join(projectDirectory, 'cdk.out'),
  settings = {},
  signal,
}: {
  outputDirectory?: string;
  settings?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
} = {}): Promise<string> {
  const deadline = Date.now() + LIMIT_MS;
  const context = Object.entries({ ...ELSEWHERE, stackName: STACK_NAME, ...settings });
  const options = context.flatMap(([name, value]) => ['--context', `${name}=${value}`]);
  const what = { outputDirectory, options, deadline, signal };
  while (!(await synthesized(what))) await pause(LOOK_AGAIN_MS);
  return join(outputDirectory, `${STACK_NAME}.template.json`);
}

/** False while another run has the folder. */
async function synthesized({
  outputDirectory,
  options,
  deadline,
  signal,
}: {
  outputDirectory: string;
  options: readonly string[];
  deadline: number;
  signal: AbortSignal | undefined;
}): Promise<boolean> {
  const cdk = join(projectDirectory, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  try {
    const command = [cdk, 'synth', '--quiet', '--output', outputDirectory, ...options];
    await promisify(execFile)(process.execPath, command, {
      cwd: projectDirectory,
      timeout: LIMIT_MS,
      ...(signal === undefined ? {} : { signal }),
      env: { ...process.env, PATH: `${join(projectDirectory, 'node_modules', '.bin')}:${process.env.PATH}` },
    });
    return true;
  } catch (error) {
    if (Date.now() < deadline && /(Other CLIs|Another CLI) \(PID=/.test(String(error))) return false;
    const { stderr } = error as { stderr?: string };
    throw new Error(`the stack does not synthesize: ${stderr?.trim() || String(error)}`, { cause: error });
  }
}
