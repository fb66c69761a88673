import { cpSync, existsSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { type FunctionName, functionNames } from './function-names.ts';
import { smallerBundles } from './smaller-bundles.ts';

const projectDirectory = resolve(import.meta.dirname, '..');
/** The operations API serves it. */
const openApiFile = join(projectDirectory, 'shared', 'api-description', 'generated', 'openapi.json');

export interface BundleOptions {
  /** Directory with a folder per function and `handler.ts` in it. Default: the project's `functions/`. */
  readonly handlersDirectory?: string;
  /** Directory for a folder per function; its old content is removed. */
  readonly outputDirectory: string;
}

/** Options of every bundle. */
export const COMMON = {
  absWorkingDir: projectDirectory,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  // By default the SDK's CommonJS modules come first, which can't be tree-shaken.
  mainFields: ['module', 'main'],
  // CommonJS dependencies inside the bundle still call require() for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  minify: true,
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
} satisfies BuildOptions;

/**
 * Bundles the command line as `main.mjs` in `outputDirectory`, with its source map and the console's page. The command line runs on
 * Node.js 20 or later, and finds credentials in all ways that the SDK knows.
 */
export async function bundleCommandLine(outputDirectory: string): Promise<void> {
  const entryPoints = [join(projectDirectory, 'cli', 'main.ts')];
  await build({ ...COMMON, sourcemap: 'external', entryPoints, outdir: outputDirectory, target: 'node20' });
  const page = join(projectDirectory, 'cli', 'console', 'public');
  cpSync(page, join(outputDirectory, 'public'), { recursive: true });
}

/**
 * Bundles all Lambda functions. Each gets a folder with `index.mjs` and its source map, ready for
 * `Code.fromAsset`.
 *
 * @returns the folder of each function
 * @throws Error that names every missing handler, or esbuild's own error
 */
export async function bundleHandlers(options: BundleOptions): Promise<Record<FunctionName, string>> {
  const handlersDirectory = options.handlersDirectory ?? join(projectDirectory, 'functions');
  const { outputDirectory } = options;
  const entryPoints = functionNames.map((name) => ({
    name,
    in: join(handlersDirectory, name, 'handler.ts'),
    out: join(name, 'index'),
  }));
  const missing = entryPoints.filter((entryPoint) => !existsSync(entryPoint.in));
  if (missing.length > 0) {
    const paths = missing.map((entryPoint) => relative(projectDirectory, entryPoint.in));
    throw new Error(`No handler at ${paths.join(', ')}`);
  }

  rmSync(outputDirectory, { recursive: true, force: true });
  await build({
    ...COMMON,
    entryPoints: entryPoints.map(({ in: from, out }) => ({ in: from, out })),
    outdir: outputDirectory,
    target: 'node24',
    plugins: [smallerBundles],
  });
  cpSync(openApiFile, join(outputDirectory, 'operations-api', 'openapi.json'));
  return Object.fromEntries(functionNames.map((name) => [name, join(outputDirectory, name)])) as Record<
    FunctionName,
    string
  >;
}
