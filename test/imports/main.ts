import { fileURLToPath } from 'node:url';
import { argumentsOrExit, readArguments } from '../run/command-arguments.ts';
import { folderCircles } from './folder-circles.ts';
import { loadedBy, readImportGraph } from './import-graph.ts';

const usage = `Checks the imports of infra/, functions/ and shared/; ends with 1 where something is not as it should be.

  --files       list the files that the handlers of each way load`;

/** Groups of functions with the largest number of files that their handlers may load. */
const WAYS = [
  { functions: ['change-intake', 'listing-producer'], most: 100 },
  { functions: ['order-producer'], most: 85 },
  { functions: ['catalog-importer', 'product-producer'], most: 120 },
  { functions: ['webhook-receiver', 'summary-processor'], most: 45 },
];

const { values } = argumentsOrExit(usage, (args) =>
  readArguments(args, { files: { type: 'boolean', default: false } }),
);

process.exitCode = [circlesHold(), waysHold()].every(Boolean) ? 0 : 1;

function graphOfRepository() {
  return readImportGraph(fileURLToPath(new URL('../..', import.meta.url)));
}

function circlesHold(): boolean {
  const circles = folderCircles(graphOfRepository());
  for (const { folders, imports } of circles) {
    console.log(`circle of folders: ${folders.join(', ')}`);
    console.log(imports.map((line) => `  ${line}`).join('\n'));
  }
  return circles.length === 0;
}

function waysHold(): boolean {
  const graph = graphOfRepository();
  const counts = WAYS.map(({ functions, most }) => {
    const files = loadedBy(
      graph,
      functions.map((name) => `functions/${name}/handler.ts`),
    );
    const excess = files.length > most ? ', too many' : '';
    console.log(`${functions.join(' + ')}: ${files.length} files of at most ${most}${excess}`);
    if (values.files) console.log(files.map((file) => `  ${file}`).join('\n'));
    return files.length <= most;
  });
  return counts.every(Boolean);
}
