import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const BIOME = join(import.meta.dirname, '../../node_modules/@biomejs/biome/bin/biome');

/** Formats a file or all files of a folder, so that `npm run check` accepts them. */
export function formatFiles(path: string): void {
  execFileSync(process.execPath, [BIOME, 'format', '--write', path], { stdio: 'inherit' });
}
