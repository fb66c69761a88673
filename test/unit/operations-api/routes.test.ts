import { expect, test } from 'vitest';
import { describedRoutes } from '../../../tools/describe/documents.ts';
import { jsonSchemaOf } from '../../../tools/describe/openapi.ts';

const queries = describedRoutes().flatMap(({ key, description: { query } }) =>
  query ? [{ key, query }] : [],
);
const bodies = describedRoutes().flatMap(({ key, description: { body } }) => (body ? [{ key, body }] : []));

test.each(queries)('$key refuses an unknown query parameter', ({ query }) => {
  expect(jsonSchemaOf(query, 'input')).toMatchObject({ additionalProperties: false });
});

test.each(bodies)('$key refuses an unknown field of its body', ({ body }) => {
  expect(jsonSchemaOf(body, 'input')).toMatchObject({ additionalProperties: false });
});
