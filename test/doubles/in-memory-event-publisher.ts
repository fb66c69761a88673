import type { EventPublisher } from '../../shared/events/outgoing.ts';
import { type OutgoingEvent, outgoingDetailSchemas } from '../../shared/events/outgoing.ts';
import { directly, type Step } from './step.ts';

/** The bus's outgoing side in memory: `published` is what came to it. Throws on a detail that breaks its schema. */
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
