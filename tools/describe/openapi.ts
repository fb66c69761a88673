import * as z from 'zod';
import type { DescribedRoute } from '../../functions/operations-api/route.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const errorSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
  requestId: z.string(),
});

/**
 * The OpenAPI 3.1 document of routes, made from the schemas that check their input and answers. Parameters and bodies show
 * the input side of a schema, answers the output side.
 */
export function openApiDocument(routes: readonly DescribedRoute[]): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const [method = '', path = ''] = route.key.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Marketplace Connector: operations API',
      version: '1',
      description: 'Every route needs AWS IAM authorization: Signature Version 4, service `execute-api`.',
    },
    paths,
    components: {
      schemas: { Error: jsonSchemaOf(errorSchema, 'output') },
      responses: {
        Error: {
          description: 'The error',
          headers: {
            'Retry-After': {
              description: 'Seconds to wait before a retry, if known',
              schema: { type: 'integer' },
            },
          },
          content: contentOf({ $ref: '#/components/schemas/Error' }),
        },
      },
      securitySchemes: {
        sigv4: {
          type: 'apiKey',
          name: 'Authorization',
          in: 'header',
          description: 'AWS Signature Version 4, service execute-api',
        },
      },
    },
    security: [{ sigv4: [] }],
  };
}

function operation({ key, description }: DescribedRoute): JsonObject {
  const { summary, path, query, body, answers, mediaType } = description;
  const parameters = [...parametersOf('path', path), ...parametersOf('query', query)];
  return {
    operationId: operationIdOf(key),
    ...(summary !== undefined && { summary }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: contentOf(jsonSchemaOf(body, 'input')) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, schema]) => [
          status,
          { description: 'Done', content: contentOf(jsonSchemaOf(schema, 'output'), mediaType) },
        ]),
      ),
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

function parametersOf(place: 'path' | 'query', schema: z.ZodType | undefined): JsonObject[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(schema, 'input') as {
    properties?: JsonObject;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, value]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: value,
  }));
}

/** `GET /batches/{batchId}` is `get_batches_batchId`. */
function operationIdOf(key: string): string {
  return key
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/_$/, '')
    .replace(/^[A-Z]+/, (method) => method.toLowerCase());
}

function contentOf(schema: unknown, mediaType = 'application/json'): JsonObject {
  return { [mediaType]: { schema } };
}

/**
 * A zod schema as JSON Schema (draft 2020-12, which OpenAPI 3.1 and AsyncAPI 3 use). Rules that it can't express, such as
 * "exactly one of", are left out, so the JSON Schema may accept more than the code, never less.
 *
 * @param side `input`: before zod's transformations; `output`: after them.
 */
export function jsonSchemaOf(schema: z.ZodType, side: 'input' | 'output'): JsonObject {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: side,
    unrepresentable: 'any',
    reused: 'inline',
    override({ zodSchema, jsonSchema }) {
      // A later version may add a field to an event or an answer: a check by this schema must not refuse it.
      const { def } = zodSchema._zod;
      if (side === 'output' && def.type === 'object' && !def.catchall) delete jsonSchema.additionalProperties;
    },
  });
  return jsonSchema;
}
