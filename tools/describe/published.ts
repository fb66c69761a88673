import type { DescribedRoute } from '../../functions/operations-api/route.ts';
import { schemasOfEventsIn } from '../../shared/api-description/events-in.ts';
import { outgoingDetailSchemas } from '../../shared/events/outgoing.ts';
import { EVENT_SOURCE } from '../../shared/settings/stack-rules.ts';
import { type JsonObject, jsonSchemaOf, openApiDocument } from './openapi.ts';

/** The directions of the bus. `id` names the channel and its operation. */
const directions = [
  {
    id: 'eventsIn',
    action: 'receive',
    description: "Events that partners put on the stack's event bus, or send to its queues as the same JSON",
    details: schemasOfEventsIn,
    side: 'input',
    source: { type: 'string', not: { const: EVENT_SOURCE } },
  },
  {
    id: 'eventsOut',
    action: 'send',
    description: "Events that the connector puts on the stack's event bus",
    details: outgoingDetailSchemas,
    side: 'output',
    source: { const: EVENT_SOURCE },
  },
] as const;

type Direction = (typeof directions)[number];

/** The AsyncAPI 3 document of all events, made from the schemas that check them. */
export function asyncApiDocument(): JsonObject {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Marketplace Connector: events',
      version: '1',
      description: 'Events on an Amazon EventBridge bus, distinguished by their `detail-type`.',
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(directions.map((direction) => [direction.id, channel(direction)])),
    operations: Object.fromEntries(
      directions.map(({ id, action }) => [id, { action, channel: { $ref: `#/channels/${id}` } }]),
    ),
    components: { messages: Object.assign({}, ...directions.map(messages)) },
  };
}

function channel({ id, description, details }: Direction): JsonObject {
  return {
    address: null,
    title: id,
    description,
    messages: Object.fromEntries(
      Object.keys(details).map((detailType) => [detailType, { $ref: `#/components/messages/${detailType}` }]),
    ),
  };
}

function messages({ details, side, source }: Direction): JsonObject {
  return Object.fromEntries(
    Object.entries(details).map(([detailType, detail]) => [
      detailType,
      {
        name: detailType,
        payload: {
          type: 'object',
          properties: {
            id: { type: 'string' },
            time: { type: 'string', format: 'date-time' },
            source,
            'detail-type': { const: detailType },
            detail: jsonSchemaOf(detail, side),
          },
          required: ['detail-type', 'detail'],
        },
      },
    ]),
  );
}

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * The published documents by their path below `generated/`: the OpenAPI document of the routes, the AsyncAPI document of
 * the events, and the JSON Schema of each event's `detail`.
 */
export function publishedDocuments(routes: readonly DescribedRoute[]): JsonObject {
  const schemas = directions.flatMap(({ details, side }) =>
    Object.entries(details).map(([detailType, schema]) => [
      `events/${detailType}.schema.json`,
      { $schema: DRAFT, title: detailType, ...jsonSchemaOf(schema, side) },
    ]),
  );
  return {
    'openapi.json': openApiDocument(routes),
    'asyncapi.json': asyncApiDocument(),
    ...Object.fromEntries(schemas),
  };
}
