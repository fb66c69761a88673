import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';

/** The version of Lambda's runtime. The functions' bundles need it. */
const NEEDED_MAJOR = 24;
const PACKAGE = `node@${manifest.devDependencies.node}`;

export function hasNode24(): boolean {
  return Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR;
}

/**
 * Runs a program on the Node.js of the functions, of the npm package `node`: that of the working folder, otherwise one that npm
 * gets.
 *
 * @param note receives what is about to happen
 * @returns the exit code of the program
 * @throws CliError if there is no such Node.js
 */
export async function runOnNode24(
  file: string,
  args: readonly string[],
  note: (text: string) => void,
): Promise<number> {
  const child = spawn(installedNode() ?? (await fetchedNode(note)), [file, ...args], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both; the end is the program's to choose.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, 'close');
  return code ?? EXIT.failed;
}

function installedNode(): string | undefined {
  const folders = createRequire(join(process.cwd(), 'package.json')).resolve.paths('node/bin/node') ?? [];
  const { resolve } = createRequire(import.meta.url);
  const own = resolve.paths('node/bin/node') ?? [];
  const manifests = [...folders, ...own].map((folder) => join(folder, 'node', 'package.json'));
  const found = manifests.find((path) => existsSync(path) && isNeeded(path));
  return found === undefined ? undefined : join(dirname(found), 'bin', 'node');
}

function isNeeded(packageJson: string): boolean {
  const { version } = createRequire(import.meta.url)(packageJson) as { version: string };
  const hasBinary = existsSync(join(dirname(packageJson), 'bin', 'node'));
  return hasBinary && Number(version.split('.')[0]) >= NEEDED_MAJOR;
}

async function fetchedNode(note: (text: string) => void): Promise<string> {
  note(
    `The functions run on Node.js ${NEEDED_MAJOR}, and this is ${process.versions.node}: npm gets the package ${PACKAGE} …`,
  );
  const print = ['node', '-p', 'process.execPath'];
  try {
    const args = ['exec', '--yes', `--package=${PACKAGE}`, '--', ...print];
    const { stdout } = await promisify(execFile)('npm', args, { shell: process.platform === 'win32' });
    return stdout.trim();
  } catch (cause) {
    throw new CliError(`the local run needs Node.js ${NEEDED_MAJOR}, and this is ${process.versions.node}`, {
      code: 'NODE_TOO_OLD',
      exitCode: EXIT.failed,
      hint: `Install it, or the npm package beside this one: npm install ${PACKAGE}`,
      cause,
    });
  }
}
