import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { packAll } from '../collections/packer.ts';
import type { EventPublisher } from '../events/outgoing.ts';
import { outgoingDetailSchemas } from '../events/outgoing.ts';
import { EVENT_SOURCE } from '../settings/stack-rules.ts';
import type { Clock } from '../time/clock.ts';
import { systemClock } from '../time/system-clock.ts';
import { eventBridgeClient } from './clients.ts';
import { untilProcessed } from './until-processed.ts';

/** EventBridge's limits of one call in every region: number of entries, and bytes of all entries together. */
const LIMITS = { maxItems: 10, maxBytes: 262_144 };

/** Publishes events on the stack's bus. Each detail is checked against its schema first. */
export function createEventPublisher(
  busName: string,
  client = eventBridgeClient(),
  clock: Pick<Clock, 'sleep'> = systemClock,
): EventPublisher {
  return {
    publish: async (events) => {
      const entries = events.map(({ detailType, detail }) => ({
        EventBusName: busName,
        Source: EVENT_SOURCE,
        DetailType: detailType,
        Detail: JSON.stringify(outgoingDetailSchemas[detailType].parse(detail)),
      }));
      const putAll = async (open: typeof entries) => {
        const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: open }));
        // A refused entry has no ID.
        return open.filter((_, index) => Entries[index]?.EventId === undefined);
      };
      for (const part of packAll(entries, LIMITS)) {
        await untilProcessed(part, putAll, { code: 'EVENTS_NOT_PUBLISHED', clock });
      }
    },
  };
}
