import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** A page of the documentation. */
export interface Page {
  /** From the repository's root, such as `docs/events.md`. */
  readonly path: string;
  readonly file: string;
  readonly text: string;
}

/** Every page: those at the root and those under docs/. */
export function readPages(): Page[] {
  return globSync(['*.md', 'docs/**/*.md'], { cwd: root }).sort().map(readPage);
}

/** @param path from the repository's root, such as `docs/events.md`. */
export function readPage(path: string): Page {
  const file = join(root, path);
  return { path, file, text: readFileSync(file, 'utf8') };
}
