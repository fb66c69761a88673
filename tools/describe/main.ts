import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { takeNoArguments } from '../../local/run/command-arguments.ts';
import { formatFiles } from '../../local/run/format-files.ts';
import { currentDocuments, generatedDirectory } from './documents.ts';
import { readPages } from './pages/pages.ts';
import { withSections } from './pages/sections.ts';
import { settingProps, settingPropsFile } from './setting-props.ts';

takeNoArguments(`Writes the published documents, the props of the settings and the generated sections of the pages anew.
Documents that are no longer published are removed.`);

await rm(generatedDirectory, { recursive: true, force: true });
for (const [path, document] of Object.entries(currentDocuments())) {
  const file = join(generatedDirectory, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
}

await writeFile(settingPropsFile, settingProps());

for (const { file, text } of readPages()) {
  const current = withSections(text);
  if (current !== text) await writeFile(file, current);
}
formatFiles(generatedDirectory);
