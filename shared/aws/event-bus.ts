import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { packAll } from '../collections/packer.ts';
import { ConnectorError } from '../errors/connector-error.ts';
import { EVENT_SOURCE, outgoingDetailSchemas } from '../events/outgoing.ts';
import type { EventPublisher } from '../events/ports.ts';

/** EventBridge's own limits of one call: entries, and bytes of all of them together. */
const LIMITS = { maxItems: 10, maxBytes: 1_048_576 };
const MAX_TRIES = 4;

/** The stack's event bus, outgoing side. Each detail is checked against its schema before it leaves. */
export function createEventPublisher(client: EventBridgeClient, busName: string): EventPublisher {
  return {
    publish: async (events) => {
      const entries = events.map(({ detailType, detail }) => ({
        EventBusName: busName,
        Source: EVENT_SOURCE,
        DetailType: detailType,
        Detail: JSON.stringify(outgoingDetailSchemas[detailType].parse(detail)),
      }));
      for (const part of packAll(entries, LIMITS)) await putAll(client, part);
    },
  };
}

/** EventBridge answers 200 with the entries that failed: those are put again. */
async function putAll(
  client: EventBridgeClient,
  entries: readonly { EventBusName: string; Source: string; DetailType: string; Detail: string }[],
): Promise<void> {
  let open = [...entries];
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: open }));
    open = open.filter((_, index) => Entries[index]?.EventId === undefined);
    if (open.length === 0) return;
  }
  throw new ConnectorError(`${open.length} events could not be published`, {
    code: 'EVENTS_NOT_PUBLISHED',
    retryable: true,
  });
}
