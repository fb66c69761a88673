import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { bundleCommandLine, COMMON } from '../../infra/bundle.ts';

const root = join(import.meta.dirname, '..', '..');
const SANDBOX = join(root, 'sandbox', 'index.ts');

/** Its page stands beside its own bundle, so that the other programs import that one. */
const sandboxApart: Plugin = {
  name: 'sandbox-outside',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/index\.ts$/ }, ({ path, resolveDir, kind }) => {
      const isSandbox = kind !== 'entry-point' && join(resolveDir, path) === SANDBOX;
      return isSandbox ? { path: '../sandbox/index.mjs', external: true } : undefined;
    });
  },
};

/** Modules that only a path reaches, as their package does not export them. */
const fauxqsInternals: Plugin = {
  name: 'fauxqs-internals',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]fauxqs-internals\.ts$/ }, () => {
      const folder = fileURLToPath(new URL('.', import.meta.resolve('fauxqs')));
      const modules = ['sqs/sqsStore', 'sqs/sqsTypes', 'sns/snsStore', 's3/s3Store', 'persistence'].map(
        (path) => JSON.stringify(join(folder, `${path}.js`)),
      );
      const names = modules.map((_, index) => `part${index}`);
      return {
        resolveDir: folder,
        contents: [
          ...modules.map((module, index) => `import * as part${index} from ${module};`),
          `export const internals = Object.assign({}, ${names.join(', ')});`,
        ].join('\n'),
      };
    });
  },
};

/** `level` keeps tables in files, by native code that cannot be bundled. Loaded when state is kept, and never otherwise. */
const levelWhenKept: Plugin = {
  name: 'level-when-kept',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]node_modules[\\/]level[\\/]index\.js$/ }, () => ({
      contents:
        "exports.Level = class { constructor(...args) { return new (require('classic-level').ClassicLevel)(...args); } };",
    }));
  },
};

/** dynalite requires its operations by their names, which esbuild finds as files only. */
const dynaliteOperations: Plugin = {
  name: 'dynalite-operations',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]node_modules[\\/]dynalite[\\/]index\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(/(require\('\.\/\w+\/' \+ action)\)/g, "$1 + '.js')"),
    }));
  },
};

/**
 * Bundles the programs of the package: the command line, the sandbox, the local run. Those for Node.js 20 have all that they
 * need; the local run needs the Node.js of its functions, and `classic-level` where it keeps its state.
 */
export async function bundlePrograms(outputDirectory: string): Promise<void> {
  const bundle = (target: string, programs: Readonly<Record<string, string>>) =>
    build({
      ...COMMON,
      // Only the notices of licences need it.
      sourcemap: 'external',
      entryPoints: Object.entries(programs).map(([out, file]) => ({ in: join(root, file), out })),
      outdir: outputDirectory,
      target,
      plugins: [sandboxApart, fauxqsInternals, dynaliteOperations, levelWhenKept],
      external: ['classic-level'],
    });
  await bundleCommandLine(join(outputDirectory, 'cli'));
  await bundle('node16', { 'cli/bin': 'cli/bin.ts' });
  await bundle('node20', {
    'sandbox/main': 'sandbox/main.ts',
    'sandbox/index': 'sandbox/index.ts',
  });
  await bundle('node24', {
    'local/main': 'local/run/main.ts',
    'local/bootstrap': 'local/aws/lambda/bootstrap.ts',
  });
}
