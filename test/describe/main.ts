import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { currentDocuments, generatedDirectory } from './documents.ts';
import { withEndpointTable } from './endpoint-table.ts';

// Writes the published documents and the table of the README, and removes obsolete documents. Biome formats them
// afterwards.
await rm(generatedDirectory, { recursive: true, force: true });
for (const [path, document] of Object.entries(currentDocuments())) {
  const file = join(generatedDirectory, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
}

const readme = join(import.meta.dirname, '..', '..', 'README.md');
await writeFile(readme, withEndpointTable(await readFile(readme, 'utf8')));
