import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { Mutant } from './mutant.ts';

const projectDirectory = join(import.meta.dirname, '..', '..', '..');

/** Bundles the simulation with one mistake, or unchanged without a mutant. Writes `outfile`. */
export async function buildMutant(mutant: Mutant | undefined, outfile: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, 'run-bundle.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    logLevel: 'silent',
    // CommonJS parts of the bundle ask for Node's own modules.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    plugins: mutant === undefined ? [] : [switchIn(mutant)],
  });
}

/**
 * The source of the mutant's file with the mistake.
 *
 * @throws Error when its text does not occur exactly once
 */
export async function withMistake({ name, file, find, replace }: Mutant): Promise<string> {
  const source = await readFile(join(projectDirectory, file), 'utf8');
  const found = source.split(find).length - 1;
  if (found !== 1) throw new Error(`mutant "${name}": its text stands ${found} times in ${file}`);
  return source.replace(find, () => replace);
}

function switchIn(mutant: Mutant): Plugin {
  const { name, file } = mutant;
  const path = join(projectDirectory, file);
  return {
    name: 'mutant',
    setup: ({ onLoad, onEnd }) => {
      let isLoaded = false;
      onLoad({ filter: /\.ts$/ }, async (loaded) => {
        if (loaded.path !== path) return undefined;
        isLoaded = true;
        return { contents: await withMistake(mutant), loader: 'ts' };
      });
      onEnd(() => {
        if (!isLoaded) throw new Error(`mutant "${name}": the simulation does not use ${file}`);
      });
    },
  };
}
