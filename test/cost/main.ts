import { argumentsOrExit, partOfName, readArguments } from '../run/command-arguments.ts';
import { assertNode24 } from '../run/node-version.ts';
import { caseTitles, measureCosts } from './cost-table.ts';
import { figuresOf, writePage } from './page.ts';

const flags = {
  write: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
} as const;
const { write, only } = argumentsOrExit(() => {
  const { values } = readArguments(process.argv.slice(2), flags);
  return { write: values.write, only: partOfName('only', values.only, caseTitles) };
});

assertNode24();
const rows = await measureCosts(only);
console.table(Object.fromEntries(rows.map((row) => [row.title, figuresOf(row)])));
if (write) writePage(rows);
