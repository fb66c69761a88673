import type { EventPublisher } from '../../shared/events/outgoing.ts';
import { type OutgoingEvent, outgoingDetailSchemas } from '../../shared/events/outgoing.ts';
import { directly, type Step } from './step.ts';

/** The event publisher in memory; `published` holds its events. Throws on a detail that breaks its schema. */
export function inMemoryEventPublisher(
  step: Step = directly,
  published: OutgoingEvent[] = [],
): EventPublisher {
  return {
    publish: async (events) => {
      if (events.length === 0) return;
      for (const { detailType, detail } of events) outgoingDetailSchemas[detailType].parse(detail);
      const names = events.map(({ detailType }) => detailType).join(' ');
      await step(`events.publish ${names}`, () => {
        published.push(...events);
      });
    },
  };
}
