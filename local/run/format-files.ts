import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const BIOME = join(import.meta.dirname, '../../node_modules/@biomejs/biome/bin/biome');

/** Formats a file or all files of a folder, as `npm run check` wants them. */
export function formatFiles(path: string): void {
  execFileSync(process.execPath, [BIOME, 'format', '--write', path], { stdio: 'inherit' });
}
