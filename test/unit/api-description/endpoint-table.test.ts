import { expect, test } from 'vitest';
import { operationsRoutes } from '../../../infra/routes.ts';
import { incomingDetailSchemas } from '../../../shared/events/incoming.ts';
import { endpoints } from '../../e2e/support/endpoints.ts';

const ways = endpoints.flatMap((endpoint) => endpoint.ways);

test('the table of endpoints has the 20 endpoints of the spec, each reached in one way at least', () => {
  expect(endpoints.map(({ section }) => section)).toEqual(
    Array.from({ length: 20 }, (_, index) => `4.${index + 1}`),
  );
  expect(endpoints.filter((endpoint) => endpoint.ways.length === 0)).toEqual([]);
});

test('the table of endpoints names every event in', () => {
  const events = ways.filter(({ kind }) => kind === 'event').map(({ name }) => name);
  expect([...new Set(events)].sort()).toEqual(Object.keys(incomingDetailSchemas).sort());
});

test('the table of endpoints names routes that the stack has', () => {
  const declared = operationsRoutes.map((key) => key.replace('{document}', 'invoice'));
  const routes = ways
    .filter(({ kind }) => kind === 'route')
    .map(({ name }) => name.replace('shipping-label', 'invoice'));
  expect(routes.filter((key) => !declared.includes(key))).toEqual([]);
});
