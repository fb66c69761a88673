import type { z } from 'zod';
import { EVENT_SOURCE } from '../events/outgoing.ts';
import { eventsIn, eventsOut } from './events.ts';
import { jsonSchemaOf } from './json-schema.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** One direction of the bus, as the document describes it. */
interface Direction {
  /** ID of the channel and of its operation. */
  readonly id: 'eventsIn' | 'eventsOut';
  /** What the connector does with the events. */
  readonly action: 'receive' | 'send';
  readonly description: string;
  readonly details: Readonly<Record<string, z.ZodType>>;
  readonly side: 'input' | 'output';
  /** JSON Schema of the event's `source`. */
  readonly source: JsonObject;
}

const directions: readonly Direction[] = [
  {
    id: 'eventsIn',
    action: 'receive',
    description: "What partners put on the stack's event bus, or send to its queues as the same JSON",
    details: eventsIn,
    side: 'input',
    source: { type: 'string', not: { const: EVENT_SOURCE } },
  },
  {
    id: 'eventsOut',
    action: 'send',
    description: "What the connector puts on the stack's event bus",
    details: eventsOut,
    side: 'output',
    source: { const: EVENT_SOURCE },
  },
];

/** The AsyncAPI 3 document of the events in and out, made from the schemas that they are checked with. */
export function asyncApiDocument(): JsonObject {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Marketplace Connector: events',
      version: '1',
      description: 'Events on an Amazon EventBridge bus, told apart by their `detail-type`.',
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
