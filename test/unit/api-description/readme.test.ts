import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { operationsRoutes } from '../../../infra/routes.ts';
import { incomingDetailSchemas } from '../../../shared/events/incoming.ts';
import { withEndpointTable } from '../../describe/endpoint-table.ts';
import { endpoints } from '../../e2e/support/endpoints.ts';

const readme = readFileSync(join(import.meta.dirname, '..', '..', '..', 'README.md'), 'utf8');
const ways = endpoints.flatMap((endpoint) => endpoint.ways);

test('the README has the generated table of endpoints (else: npm run describe)', () => {
  expect(readme).toBe(withEndpointTable(readme));
});

test('the table has the 20 endpoints of the spec, each with at least one way to reach it', () => {
  expect(endpoints.map(({ section }) => section)).toEqual(
    Array.from({ length: 20 }, (_, index) => `4.${index + 1}`),
  );
  expect(endpoints.filter((endpoint) => endpoint.ways.length === 0)).toEqual([]);
});

test('the table names every event in', () => {
  const events = ways.filter(({ kind }) => kind === 'event').map(({ name }) => name);
  expect([...new Set(events)].sort()).toEqual(Object.keys(incomingDetailSchemas).sort());
});

test('the table names only routes of the stack', () => {
  const declared = operationsRoutes.map((key) => key.replace('{document}', 'invoice'));
  const routes = ways
    .filter(({ kind }) => kind === 'route')
    .map(({ name }) => name.replace('shipping-label', 'invoice'));
  expect(routes.filter((key) => !declared.includes(key))).toEqual([]);
});
