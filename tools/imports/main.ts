import { fileURLToPath } from 'node:url';
import { argumentsOrExit, readArguments } from '../../local/run/command-arguments.ts';
import { namesOfTwoFolders } from './export-names.ts';
import { folderCircles } from './folder-circles.ts';
import { loadedBy, readImportGraph } from './import-graph.ts';
import { impureRules } from './pure-rules.ts';
import { timesOfTwoTypes } from './time-names.ts';

const usage = `Checks the imports of cli/, infra/, functions/ and shared/, their exported names and the types of times; ends with 1 where something is not as it should be.

  --files       list the files that the handlers of each way load`;

/** Groups of functions whose number of loaded files is shown. */
const WAYS = [
  ['change-intake', 'listing-producer'],
  ['order-producer'],
  ['catalog-importer', 'product-producer'],
  ['webhook-receiver', 'summary-processor'],
];

const { values } = argumentsOrExit(usage, (args) =>
  readArguments(args, { files: { type: 'boolean', default: false } }),
);

const root = fileURLToPath(new URL('../..', import.meta.url));
showWays();
process.exitCode = [circlesHold(), rulesArePure(), namesAreOneThing(), timesHaveOneType()].every(Boolean)
  ? 0
  : 1;

function graphOfRepository() {
  return readImportGraph(root);
}

function circlesHold(): boolean {
  const circles = folderCircles(graphOfRepository());
  for (const { folders, imports } of circles) {
    console.log(`circle of folders: ${folders.join(', ')}`);
    console.log(imports.map((line) => `  ${line}`).join('\n'));
  }
  return circles.length === 0;
}

function rulesArePure(): boolean {
  const impure = impureRules(graphOfRepository());
  for (const { file, loads } of impure) console.log(`${file} is to be pure and loads ${loads.join(', ')}`);
  return impure.length === 0;
}

function namesAreOneThing(): boolean {
  const files = [...graphOfRepository().keys()].filter((file) => !/^(?:cli|infra)\//.test(file));
  const doubled = namesOfTwoFolders(root, files);
  for (const { name, files: exporters } of doubled)
    console.log(`${name} is exported by two folders: ${exporters.join(', ')}`);
  return doubled.length === 0;
}

function timesHaveOneType(): boolean {
  const doubled = timesOfTwoTypes(root, [...graphOfRepository().keys()]);
  for (const { name, places } of doubled) console.log(`${name} is two types: ${places.join(', ')}`);
  return doubled.length === 0;
}

function showWays(): void {
  const graph = graphOfRepository();
  for (const functions of WAYS) {
    const files = loadedBy(
      graph,
      functions.map((name) => `functions/${name}/handler.ts`),
    );
    console.log(`${functions.join(' + ')}: ${files.length} files`);
    if (values.files) console.log(files.map((file) => `  ${file}`).join('\n'));
  }
}
