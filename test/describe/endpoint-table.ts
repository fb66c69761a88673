import { type EndpointRow, endpoints, type Way } from '../e2e/support/endpoints.ts';

const BEGIN = '<!-- endpoints: npm run describe -->';
const END = '<!-- /endpoints -->';

/** The README with an updated table of the 20 endpoints. @throws Error when it has no place for the table */
export function withEndpointTable(readme: string): string {
  const [before, rest] = split(readme, BEGIN);
  const [, after] = split(rest, END);
  return `${before}${BEGIN}\n\n${endpointTable()}\n\n${END}${after}`;
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`README.md has no ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

function endpointTable(): string {
  const rows = endpoints.map((row) => [
    `§${row.section} ${row.title}`,
    waysOf(row, 'event'),
    waysOf(row, 'file'),
    waysOf(row, 'route'),
    row.comesBack.replaceAll('/stores/{storeClientId}', '…'),
  ]);
  const header = ['endpoint', 'event', 'file', 'route (`…` is `/stores/{storeClientId}`)', 'what comes back'];
  return [header, header.map(() => '---'), ...rows].map(lineOf).join('\n');
}

/** One row as Markdown: an empty cell is a space, and a bar would end its cell. */
function lineOf(cells: readonly string[]): string {
  return `|${cells.map((cell) => (cell === '---' ? cell : ` ${cell} `)).join('|')}|`;
}

function waysOf({ ways }: EndpointRow, kind: Way['kind']): string {
  return ways
    .filter((way) => way.kind === kind)
    .map(({ name }) => `\`${name.replace('/stores/{storeClientId}', '…')}\``)
    .join(', ');
}
