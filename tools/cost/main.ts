import { argumentsOrExit, partOfName, readArguments } from '../../local/run/command-arguments.ts';
import { assertNode24 } from '../../local/run/node-version.ts';
import { caseTitles, measureCosts } from './cost-table.ts';
import { figuresOf, writePage } from './page.ts';

const flags = {
  write: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
} as const;
const usage = `Counts what each kind of work costs at AWS, in USD per million: docs/cost.md.

  --only PART   only cases whose name contains PART
  --write       write what was counted into docs/cost.md; all cases, without --only`;

const { write, only } = argumentsOrExit(usage, (args) => {
  const { values } = readArguments(args, flags);
  if (values.write && values.only !== '') throw new Error('--write needs all cases: leave out --only');
  return { write: values.write, only: partOfName('only', values.only, caseTitles) };
});

assertNode24();
const rows = await measureCosts(only);
console.table(Object.fromEntries(rows.map((row) => [row.title, figuresOf(row)])));
if (write) writePage(rows);
