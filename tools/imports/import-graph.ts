import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The files of the repository that a file imports, by path. */
export interface FileImports {
  /** All imports, also those of types. */
  readonly all: readonly string[];
  /** The imports that remain without types. */
  readonly values: readonly string[];
}

/** The imports of each file, by the file's path from the repository's root. */
export type ImportGraph = ReadonlyMap<string, FileImports>;

const FOLDERS = ['cli', 'infra', 'functions', 'shared'];
const IMPORT = /^(?:import|export)\s(?<names>[^;'"]*?\bfrom\s+)?'(?<path>\.[^']+)'/gm;
const ONLY_TYPES = /^type\s|^\{\s*(?:type\s+[^,]+,?\s*)+\}\s*from/;

/** Reads what the deployed code and the command line import; `root` is the repository's folder. */
export function readImportGraph(root: string): ImportGraph {
  const files = globSync(`{${FOLDERS.join(',')}}/**/*.ts`, { cwd: root });
  return new Map(
    files.sort().map((file) => [file, readImports(file, readFileSync(join(root, file), 'utf8'))]),
  );
}

function readImports(file: string, text: string): FileImports {
  const found = [...text.matchAll(IMPORT)].map(({ groups: { names = '', path = '' } = {} }) => ({
    path: normalize(join(dirname(file), path)),
    isValue: !ONLY_TYPES.test(names),
  }));
  const values = found.filter(({ isValue }) => isValue).map(({ path }) => path);
  return { all: found.map(({ path }) => path), values };
}

/** The files that are loaded with `entries`, including these. */
export function loadedBy(graph: ImportGraph, entries: readonly string[]): string[] {
  const loaded = new Set(entries);
  for (const file of loaded) {
    const imports = graph.get(file);
    if (imports === undefined) throw new Error(`no file ${file}`);
    for (const imported of imports.values) loaded.add(imported);
  }
  return [...loaded].sort();
}
