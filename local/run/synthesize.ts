import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Overrides the setting `stackName`, so that the template's path is known. */
const STACK_NAME = 'MarketplaceConnector';

/** Settings that name things outside the stack. They are not set here, as this account has no such things. */
const ELSEWHERE = {
  partnerSecretArn: '',
  webhookWebAclArn: '',
  domainName: '',
  certificateArn: '',
  permissionsBoundaryArn: '',
};

const projectDirectory = join(import.meta.dirname, '..', '..');

/** Longest time of one synthesis, with the wait for another run. A synthesis takes about 4 s on 2 cores. */
const LIMIT_MS = 120_000;
const POLL_EVERY_MS = 500;

/**
 * Synthesizes the stack with the CDK's command line, as a deployment does, into `outputDirectory` (default `cdk.out`).
 * Waits while another run uses the same folder, which the CDK refuses to share.
 *
 * @param options.settings settings in place of those of `cdk.json`
 * @param options.signal ends the work
 * @returns path of the template
 * @throws Error with the command's output when the synthesis fails or `signal` aborts
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
  while (!(await synthesized(what))) await pause(POLL_EVERY_MS);
  return join(outputDirectory, `${STACK_NAME}.template.json`);
}

/** @returns false while another run uses the folder */
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
      env: {
        ...process.env,
        PATH: `${join(projectDirectory, 'node_modules', '.bin')}:${process.env.PATH}`,
        // The validation takes half of the time. A deployment runs it.
        CDK_VALIDATION: 'false',
      },
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
