import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** The size of a bundle in thousands of bytes, and the number of source files in it. */
export function sizeOf(folder: string): { kilobytes: number; files: number } {
  const { sources } = JSON.parse(readFileSync(join(folder, 'index.mjs.map'), 'utf8'));
  return { kilobytes: Math.round(statSync(join(folder, 'index.mjs')).size / 1000), files: sources.length };
}

/** Bundles the usual function in the usual way: one call of esbuild, minified. @returns its folder */
export async function bundleUsualFunction(outputDirectory: string): Promise<string> {
  const folder = join(outputDirectory, 'usual');
  await bundleScript(join(import.meta.dirname, 'usual-function.ts'), join(folder, 'index.mjs'));
  return folder;
}

/** Bundles a script, so that its process does not have to strip types, which takes memory and time. */
export async function bundleScript(entryPoint: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [entryPoint],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    minify: true,
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
  });
}
