import type { ImportGraph } from './import-graph.ts';

/** One folder's import of another, with a file that makes it. */
interface FolderImport {
  readonly to: string;
  readonly example: string;
}

/**
 * The circles of imports between the folders of `shared/`, `cli/` and `infra/`, type imports included, each with its folders and
 * imports. A file that lies beside these folders counts as one.
 */
export function folderCircles(graph: ImportGraph): { folders: string[]; imports: string[] }[] {
  const folders = folderImports(graph);
  const names = [...folders.keys()].sort();
  const reached = new Map(names.map((name) => [name, reachedFrom(folders, name)]));
  const grouped = new Set<string>();
  return names.flatMap((name) => {
    const circle = names.filter((other) => reached.get(name)?.has(other) && reached.get(other)?.has(name));
    if (grouped.has(name) || circle.length === 0) return [];
    for (const one of circle) grouped.add(one);
    return [{ folders: circle, imports: importsWithin(folders, circle) }];
  });
}

function folderImports(graph: ImportGraph): Map<string, FolderImport[]> {
  const folders = new Map<string, FolderImport[]>();
  for (const [file, { all }] of graph) {
    const from = folderOf(file);
    if (from === undefined) continue;
    const imports = folders.get(from) ?? [];
    folders.set(from, imports);
    for (const path of all) {
      const to = folderOf(path);
      const isNew = to !== undefined && to !== from && !imports.some((known) => known.to === to);
      if (isNew) imports.push({ to, example: `${file} → ${path}` });
    }
  }
  return folders;
}

function folderOf(path: string): string | undefined {
  return /^(?:shared|cli|infra)\/[^/]+/.exec(path)?.[0];
}

function reachedFrom(folders: ReadonlyMap<string, readonly FolderImport[]>, start: string): Set<string> {
  const reached = new Set(folders.get(start)?.map(({ to }) => to));
  for (const folder of reached) for (const { to } of folders.get(folder) ?? []) reached.add(to);
  return reached;
}

function importsWithin(
  folders: ReadonlyMap<string, readonly FolderImport[]>,
  circle: readonly string[],
): string[] {
  return circle.flatMap((from) =>
    (folders.get(from) ?? [])
      .filter(({ to }) => circle.includes(to))
      .map(({ to, example }) => `${from} → ${to}: ${example}`),
  );
}
