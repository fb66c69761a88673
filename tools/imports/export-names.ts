import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const EXPORT = /^export (?:async )?(?:function|const|class|interface|type)\*? ?(?<name>\w+)/gm;
/** Each function's folder exports it: Lambda calls it by this name. */
const ENTRY = 'handler';

/**
 * Names that files of two folders export, each with the files: one word is one thing.
 *
 * @param files paths from the repository's folder `root`
 */
export function namesOfTwoFolders(
  root: string,
  files: readonly string[],
): { name: string; files: readonly string[] }[] {
  const exporters = new Map<string, string[]>();
  for (const file of files) {
    for (const { groups: { name = '' } = {} } of readFileSync(join(root, file), 'utf8').matchAll(EXPORT))
      if (name !== ENTRY) exporters.set(name, [...(exporters.get(name) ?? []), file]);
  }
  return [...exporters]
    .filter(([, files]) => new Set(files.map(folderOf)).size > 1)
    .map(([name, files]) => ({ name, files }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

function folderOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}
