import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conditions } from './interleaved.ts';

const file = join(import.meta.dirname, '..', '..', 'docs', 'performance.md');

/** Replaces the measured section `name` of docs/performance.md, and says where and when it was measured. */
export function writeSection(name: string, table: string): void {
  const page = readFileSync(file, 'utf8');
  const section = new RegExp(`(?<=<!-- bench: ${name} -->\n).*?(?=<!-- /bench -->)`, 's');
  if (!section.test(page)) throw new Error(`docs/performance.md has no section ${name}`);
  writeFileSync(
    file,
    page.replace(section, () => `\n${table}\n\nMeasured: ${conditions()}.\n\n`),
  );
}
