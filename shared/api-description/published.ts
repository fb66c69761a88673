import { asyncApiDocument } from './asyncapi.ts';
import { eventsIn, eventsOut } from './events.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { type DescribedRoute, openApiDocument } from './openapi.ts';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Every document that is published, by its path below `generated/`: the OpenAPI document of the routes, the AsyncAPI
 * document of the events, and the JSON Schema of each event's `detail`.
 */
export function publishedDocuments(routes: readonly DescribedRoute[]): Readonly<Record<string, unknown>> {
  const schemas = [
    ...Object.entries(eventsIn).map(([detailType, schema]) => ({
      detailType,
      schema,
      side: 'input' as const,
    })),
    ...Object.entries(eventsOut).map(([detailType, schema]) => ({
      detailType,
      schema,
      side: 'output' as const,
    })),
  ];
  return {
    'openapi.json': openApiDocument(routes),
    'asyncapi.json': asyncApiDocument(),
    ...Object.fromEntries(
      schemas.map(({ detailType, schema, side }) => [
        `events/${detailType}.schema.json`,
        { $schema: DRAFT, title: detailType, ...jsonSchemaOf(schema, side) },
      ]),
    ),
  };
}
