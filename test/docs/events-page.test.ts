import { describe, expect, test } from 'vitest';
import { schemasOfEventsIn } from '../../shared/api-description/events-in.ts';
import { type IncomingDetailType, incomingDetailSchemas } from '../../shared/events/incoming.ts';
import {
  EVENT_SOURCE,
  type OutgoingDetailType,
  outgoingDetailSchemas,
} from '../../shared/events/outgoing.ts';
import { parseIncomingEvent } from '../../shared/events/parse-incoming-event.ts';
import { readPage } from '../describe/pages/pages.ts';
import { eventsIn, eventsOut } from './event-examples.ts';

const page = readPage('docs/events.md');
const incoming = eventsIn(page.text);
const detailTypes = Object.keys(incomingDetailSchemas) as IncomingDetailType[];

describe('docs/events.md', () => {
  test('has an example of every event in, under its heading', () => {
    expect([...new Set(incoming.map(({ heading }) => heading))]).toEqual(
      detailTypes.map((type) => `\`${type}\``),
    );
    for (const { heading, detailType } of incoming) expect(heading).toBe(`\`${detailType}\``);
  });

  test.each(incoming)('line $line is an event that the code takes', ({ json, detailType, detail }) => {
    const parsed = parseIncomingEvent(json, detailTypes, { messageId: 'message', sentAt: 0 });
    expect(parsed).toMatchObject({ ok: true });
    expect(schemasOfEventsIn[detailType as IncomingDetailType].safeParse(detail).error).toBeUndefined();
  });

  test.each(eventsOut(page.text))('line $line is an event that the stack can send', (event) => {
    expect(event.source).toBe(EVENT_SOURCE);
    const schema = outgoingDetailSchemas[event.detailType as OutgoingDetailType];
    expect(schema.strict().safeParse(event.detail).error).toBeUndefined();
  });
});
