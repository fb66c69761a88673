import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const assetsSchema = z.looseObject({
  files: z.record(z.string(), z.looseObject({ source: z.looseObject({ path: z.string() }) })).default({}),
});

/**
 * The folder of an asset, by its hash: the folder that the assembly's `*.assets.json` name, otherwise `asset.HASH`.
 *
 * @param assetDirectory the folder of the template
 */
export function assetFolders(assetDirectory: string): (hash: string) => string {
  const paths = new Map<string, string>();
  for (const file of globSync('*.assets.json', { cwd: assetDirectory })) {
    const { files } = assetsSchema.parse(JSON.parse(readFileSync(join(assetDirectory, file), 'utf8')));
    for (const [hash, { source }] of Object.entries(files)) paths.set(hash, source.path);
  }
  return (hash) => join(assetDirectory, paths.get(hash) ?? `asset.${hash}`);
}
