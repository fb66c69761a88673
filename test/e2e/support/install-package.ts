import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '..', '..', '..');

/** What the examples use beside the package, and the Node.js of the functions. */
const OWN_DEPENDENCIES = ['@types/node', '@aws-sdk/client-eventbridge', 'node'];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly repository: { readonly url: string };
  readonly keywords: readonly string[];
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** A partner's app, outside of the repository, with the package installed. */
export interface Consumer extends AsyncDisposable {
  readonly directory: string;
  /** Where the package is. */
  readonly packageDirectory: string;
  /** The files of the package, by their paths in it. */
  readonly files: readonly string[];
  readonly manifest: Manifest;
  /** What `npm pack` said. */
  readonly packOutput: string;
  /**
   * Runs Node.js in the consumer's directory.
   *
   * @returns what it wrote to standard output
   * @throws Error with what it wrote, when it fails
   */
  node(args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<string>;
}

/**
 * Packs the package with `npm pack`, which builds it, and installs the archive in a copy of `examples/`. What the package
 * depends on comes from the repository's own node_modules, so that no network is needed; nothing else does.
 */
export async function installPackage(): Promise<Consumer> {
  const directory = await mkdtemp(join(tmpdir(), 'connector-consumer-'));
  const modules = join(directory, 'node_modules');
  await mkdir(modules);
  const { stdout: packOutput } = await run('npm', ['pack', '--pack-destination', directory], {
    cwd: repository,
  });
  const archive = (await readdir(directory)).find((name) => name.endsWith('.tgz')) ?? '';
  await run('tar', ['-xzf', archive], { cwd: directory });
  const manifest: Manifest = JSON.parse(await readFile(join(directory, 'package', 'package.json'), 'utf8'));
  const packageDirectory = join(modules, manifest.name);
  await rename(join(directory, 'package'), packageDirectory);
  const { dependencies, peerDependencies } = manifest;
  for (const name of [...Object.keys({ ...dependencies, ...peerDependencies }), ...OWN_DEPENDENCIES]) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(repository, 'node_modules', name), join(modules, name));
  }
  await cp(join(repository, 'examples'), directory, { recursive: true });
  return {
    directory,
    packageDirectory,
    files: await filesBelow(packageDirectory),
    manifest,
    packOutput,
    node: async (args, environment = {}) => {
      const options = { cwd: directory, env: { ...process.env, ...environment } };
      return (await run(process.execPath, args, options)).stdout;
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(directory.length + 1))
    .sort();
}
