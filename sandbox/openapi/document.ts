import * as z from 'zod';
import type { Endpoint } from '../api/endpoint.ts';
import { ENDPOINTS } from '../resources/index.ts';
import { timestamp, uuid } from '../schemas/common.ts';

const errorEnvelope = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z
        .object({ timestamp, hint: z.string().optional(), context: z.looseObject({}).optional() })
        .optional(),
    }),
    requestId: uuid,
  })
  .meta({ id: 'Error' });

const meta = z
  .object({ timestamp, durationMs: z.int().optional(), dispatch: z.boolean().optional() })
  .meta({ id: 'Meta' });

const pagination = z.object({
  page: z.int(),
  limit: z.int(),
  total: z.int(),
  totalPages: z.int(),
  hasNext: z.boolean(),
  hasPrev: z.boolean(),
});

const HEADERS: Record<Endpoint['scope'], readonly string[]> = {
  open: [],
  partner: ['x-partner-client-id', 'x-timestamp', 'x-signature'],
  store: ['x-partner-client-id', 'x-store-client-id', 'x-store-token', 'x-timestamp', 'x-signature'],
};

const SCOPE_ERRORS: Record<Endpoint['scope'], readonly string[]> = {
  open: [],
  partner: ['AUTH_003', 'AUTH_010', 'AUTH_011'],
  store: ['AUTH_003', 'AUTH_010', 'AUTH_011', 'AUTH_014'],
};

type JsonObject = Record<string, unknown>;

/** The OpenAPI 3.1 document of the API, made from the schemas that the sandbox parses with. */
export function openApiDocument(): JsonObject {
  const schemas: JsonObject = {};
  const schemaOf = componentWriter(schemas);
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of ENDPOINTS) {
    const operations = paths[endpoint.path] ?? {};
    operations[endpoint.method.toLowerCase()] = operation(endpoint, schemaOf);
    paths[endpoint.path] = operations;
  }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Partner Marketplace API', version: '1' },
    servers: [{ url: '/api/v1' }],
    paths,
    components: { parameters: headerComponents(), schemas },
  };
  return JSON.parse(JSON.stringify(document).replaceAll('#/$defs/', '#/components/schemas/'));
}

type SchemaWriter = (schema: z.ZodType, io: 'input' | 'output') => JsonObject;

/** Writes JSON Schemas. A schema with an id becomes a component. */
function componentWriter(components: JsonObject): SchemaWriter {
  return (schema, io) => {
    const {
      $schema: _,
      $defs,
      ...rest
    } = z.toJSONSchema(schema, {
      io,
      // Clients and the API must accept fields that are added later.
      override: ({ jsonSchema }) => void delete jsonSchema.additionalProperties,
    });
    Object.assign(components, $defs);
    return rest;
  };
}

function operation(endpoint: Endpoint, schemaOf: SchemaWriter): JsonObject {
  const validated = endpoint.body === undefined && endpoint.query === undefined ? [] : ['VAL_001'];
  const errors = [...SCOPE_ERRORS[endpoint.scope], ...validated, ...(endpoint.errors ?? [])];
  const headers = HEADERS[endpoint.scope].map((name) => ({ $ref: `#/components/parameters/${name}` }));
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    description: `Section ${endpoint.section} of the specification.`,
    parameters: [...pathParameters(endpoint), ...headers, ...queryParameters(endpoint, schemaOf)],
    ...requestBody(endpoint, schemaOf),
    responses: {
      200: { description: 'Success', content: successContent(endpoint, schemaOf) },
      default: {
        description: `Refused: ${errors.join(', ')}`,
        content: jsonContent(schemaOf(errorEnvelope, 'output')),
      },
    },
  };
}

function pathParameters({ path }: Endpoint): JsonObject[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function headerComponents(): JsonObject {
  const parameters = HEADERS.store.map((name) => ({
    name,
    in: 'header',
    required: true,
    schema: { type: 'string' },
  }));
  return Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter]));
}

function queryParameters({ query }: Endpoint, schemaOf: SchemaWriter): JsonObject[] {
  if (query === undefined) return [];
  const { properties } = schemaOf(query, 'input');
  const schemas = Object.entries((properties ?? {}) as JsonObject);
  return schemas.map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function requestBody({ body, row }: Endpoint, schemaOf: SchemaWriter): JsonObject {
  if (body === undefined) return {};
  const schema = schemaOf(body, 'input');
  if (row !== undefined) {
    const lists = Object.values((schema.properties ?? {}) as Record<string, JsonObject>);
    for (const list of lists) list.items = schemaOf(row, 'input');
  }
  return { requestBody: { required: true, content: jsonContent(schema) } };
}

function successContent({ answer, envelope, operationId }: Endpoint, schemaOf: SchemaWriter): JsonObject {
  if (answer === undefined) {
    return { 'application/pdf': { schema: { type: 'string', contentMediaType: 'application/pdf' } } };
  }
  if (envelope === 'bare') return jsonContent(schemaOf(answer, 'output'));
  const enveloped = z.object({
    success: z.literal(true),
    message: z.string(),
    requestId: uuid,
    meta,
    data: answer,
    ...(operationId === 'listProducts' ? { pagination } : {}),
  });
  return jsonContent(schemaOf(enveloped, 'output'));
}

function jsonContent(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}
