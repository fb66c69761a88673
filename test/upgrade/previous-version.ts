import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import * as z from 'zod';
import { type LastingResources, lastingResources } from './replacement.ts';

/** The folder of the previous version. */
export const fixtures = join(import.meta.dirname, 'fixtures');
const archive = join(fixtures, 'previous-version.br');
const resources = join(fixtures, 'previous-resources.json');

/** Text of each file by its path. */
const filesSchema = z.record(z.string(), z.string());

/** Keeps a synthesized stack, template and bundles, as the previous version for the tests of upgrades. */
export async function keepVersion(templatePath: string): Promise<void> {
  const assembly = dirname(templatePath);
  const template = await readFile(templatePath, 'utf8');
  const files: Record<string, string> = { [basename(templatePath)]: template };
  for (const asset of await assetsOf(template, assembly)) {
    files[`${asset}/index.mjs`] = await readFile(join(assembly, asset, 'index.mjs'), 'utf8');
  }
  const text = Buffer.from(JSON.stringify(files));
  // Bundles share most of their code: a window over all of them finds it.
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 10,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  };
  await mkdir(fixtures, { recursive: true });
  await writeFile(archive, await promisify(brotliCompress)(text, { params }));
  await writeFile(resources, `${JSON.stringify(lastingResources(JSON.parse(template)), null, 2)}\n`);
}

/** Lays the previous version into a folder; returns the path of its template. */
export async function layPreviousVersion(directory: string): Promise<string> {
  const text = await promisify(brotliDecompress)(await readFile(archive));
  const files = filesSchema.parse(JSON.parse(text.toString()));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  const template = Object.keys(files).find((path) => path.endsWith('.template.json'));
  if (template === undefined) throw new Error(`${archive} has no template`);
  return join(directory, template);
}

/** The resources of the previous version that an update must keep. */
export async function previousResources(): Promise<LastingResources> {
  return JSON.parse(await readFile(resources, 'utf8'));
}

/** The folders of the functions' bundles: an assembly may hold those of earlier syntheses too. */
async function assetsOf(template: string, assembly: string): Promise<string[]> {
  const all = await readdir(assembly);
  return all.filter((name) => name.startsWith('asset.') && template.includes(name.slice('asset.'.length)));
}
