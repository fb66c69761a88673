import { type EndpointRow, endpoints, type Way } from '../../../test/e2e/support/endpoints.ts';
import { markdownTable } from './markdown.ts';

/** The 20 endpoints of the marketplace with the ways to each, as the end-to-end test takes them. */
export function endpointTable(): string {
  return markdownTable(
    ['endpoint', 'event', 'file', 'route (`…` is `/stores/{storeClientId}`)', 'what comes back'],
    endpoints.map((row) => [
      `§${row.section} ${row.title}`,
      waysOf(row, 'event'),
      waysOf(row, 'file'),
      waysOf(row, 'route'),
      row.comesBack.replaceAll('/stores/{storeClientId}', '…'),
    ]),
  );
}

function waysOf({ ways }: EndpointRow, kind: Way['kind']): string {
  return ways
    .filter((way) => way.kind === kind)
    .map(({ name }) => `\`${name.replace('/stores/{storeClientId}', '…')}\``)
    .join(', ');
}
