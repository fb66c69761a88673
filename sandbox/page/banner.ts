import { PARTNERS, STORES } from '../state/fixtures.ts';
import { curlExample } from './curl-example.ts';

/** The text of `npm run sandbox`. The credentials are fixtures, not secrets. */
export function banner(url: string): string {
  const partners = PARTNERS.map(({ clientId, secretKey }) => `  ${clientId.padEnd(18)} secret ${secretKey}`);
  const stores = STORES.map((store) => {
    const warehouses = store.warehouses === 1 ? 'warehouse' : 'warehouses';
    const traits = `${store.warehouses} ${warehouses}${store.blocked ? ', blocked' : ''}`;
    return `  ${store.clientId.padEnd(18)} token ${`token-${store.clientId}`.padEnd(20)} ${traits}, of ${store.partner}`;
  });
  return [
    `Sandbox marketplace: ${url} (API below /api/v1)`,
    '',
    'Partners',
    ...partners,
    '',
    'Stores',
    ...stores,
    '',
    `Page              ${url}/sandbox`,
    `OpenAPI document  ${url}/openapi.json`,
    '',
    'A signed call:',
    '',
    curlExample(url),
    '',
  ].join('\n');
}
