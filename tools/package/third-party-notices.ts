import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The folder of the package that a source file belongs to, with the innermost `node_modules` in its path. */
const PACKAGE_FOLDER = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/;

interface Notice {
  /** Such as `zod 4.6.7 (MIT)`. */
  readonly title: string;
  readonly licence: string;
}

/**
 * The licences of all packages whose code is in the bundles below `directory`, as their source maps name them. Packages with
 * the same text share one entry.
 *
 * @throws Error that names a package without a licence, whose code the package must not hold
 */
export function thirdPartyNotices(directory: string): string {
  const titlesByLicence = Map.groupBy(bundledFolders(directory).map(readNotice), ({ licence }) => licence);
  const entries = [...titlesByLicence].map(
    ([licence, notices]) =>
      `${[...new Set(notices.map(({ title }) => title))].sort().join('\n')}\n\n${licence}`,
  );
  return `${entries.sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** The packages whose code is in the bundles below `directory`, as `name@version`. */
export function bundledPackages(directory: string): string[] {
  const packages = bundledFolders(directory).map((folder) => {
    const { name, version } = readPackage(folder);
    return `${name}@${version}`;
  });
  return [...new Set(packages)].sort();
}

function bundledFolders(directory: string): string[] {
  const maps = globSync('**/*.map', { cwd: directory }).map((path) => join(directory, path));
  return [...new Set(maps.flatMap(packageFolders))];
}

function readPackage(folder: string): {
  name: string;
  version: string;
  license?: string | { type?: string } | null;
} {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function packageFolders(map: string): string[] {
  const { sources }: { sources: string[] } = JSON.parse(readFileSync(map, 'utf8'));
  return sources.flatMap((source) => PACKAGE_FOLDER.exec(resolve(dirname(map), source)) ?? []);
}

function readNotice(folder: string): Notice {
  const { name, version, license: named } = readPackage(folder);
  // Old packages name it as an object.
  const license = typeof named === 'object' ? named?.type : named;
  if (typeof license !== 'string') throw new Error(`${name} names no licence`);
  const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder });
  const licence = file
    ? readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim()
    : `The package names its licence, ${license}, and has no text of it.`;
  return { title: `${name} ${version} (${license})`, licence };
}
