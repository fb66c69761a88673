import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandTable, exitCodeTable, globalOptionTable } from './command-table.ts';
import { endpointTable } from './endpoint-table.ts';
import { csvColumnTable, detailShape, detailTypes } from './event-reference.ts';
import { propsTable } from './props-table.ts';
import { settingsTable } from './settings-table.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Files below `examples/`, which a test runs with the package. */
const EXAMPLES = [
  'cdk-app/app.ts',
  'cdk-app/subscription.ts',
  'senders/send-stock.ts',
  'client/read-product.ts',
];

/** What stands between the marks of each name in the pages. */
export const sections: ReadonlyMap<string, () => string> = new Map([
  ['endpoints', endpointTable],
  ['settings', settingsTable],
  ['csv-columns', () => csvColumnTable('catalog')],
  ['csv-columns stock', () => csvColumnTable('stock')],
  ['csv-columns prices', () => csvColumnTable('prices')],
  ['signed.sh', () => codeOf('sh', 'docs/signed.sh')],
  ['props', propsTable],
  ['commands', commandTable],
  ['global options', globalOptionTable],
  ['exit codes', exitCodeTable],
  ...EXAMPLES.map((file) => [`example ${file}`, () => codeOf('ts', `examples/${file}`)] as const),
  ...detailTypes.map((type) => [`event ${type}`, () => detailShape(type)] as const),
]);

/** @param path from the repository's root */
function codeOf(language: string, path: string): string {
  return `\`\`\`${language}\n${readFileSync(join(root, path), 'utf8')}\`\`\``;
}

const MARKED = /<!-- (?<name>[^\n]+): npm run describe -->\n.*?<!-- \/\k<name> -->/gs;

/**
 * A page with every generated section brought up to date. A section stands between `<!-- NAME: npm run describe -->` and
 * `<!-- /NAME -->`.
 *
 * @throws Error when the page has a mark of a name that is not known
 */
export function withSections(page: string): string {
  return page.replaceAll(MARKED, (_, name: string) => {
    const section = sections.get(name);
    if (section === undefined)
      throw new Error(`no section ${name}; there are ${[...sections.keys()].join(', ')}`);
    return `<!-- ${name}: npm run describe -->\n\n${section()}\n\n<!-- /${name} -->`;
  });
}

/** Names of the generated sections that a page has. */
export function sectionsOf(page: string): string[] {
  return [...page.matchAll(MARKED)].map(({ groups }) => groups?.name ?? '');
}
