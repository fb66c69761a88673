import { parseArgs } from 'node:util';
import { assertNode24 } from '../run/node-version.ts';
import { measureCosts } from './cost-table.ts';
import { figuresOf, writePage } from './page.ts';

const { values } = parseArgs({
  options: { write: { type: 'boolean', default: false }, only: { type: 'string' } },
});

assertNode24();
const rows = await measureCosts(values.only);
console.table(Object.fromEntries(rows.map((row) => [row.title, figuresOf(row)])));
if (values.write) writePage(rows);
