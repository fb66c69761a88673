import { describe, expect, test } from 'vitest';
import { schemasOfEventsIn } from '../../shared/api-description/events-in.ts';
import { type IncomingDetailType, incomingDetailSchemas } from '../../shared/events/incoming.ts';
import { type OutgoingDetailType, outgoingDetailSchemas } from '../../shared/events/outgoing.ts';
import { parseIncomingEvent } from '../../shared/events/parse-incoming-event.ts';
import { productChanges, simpleProduct, variantProduct } from '../../shared/marketplace/product-request.ts';
import { EVENT_SOURCE } from '../../shared/settings/stack-rules.ts';
import { jsonSchemaOf } from '../../tools/describe/openapi.ts';
import { readPage } from '../../tools/describe/pages/pages.ts';
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

  test.each(Object.entries(outgoingDetailSchemas))(
    'the published schema of %s takes a field that a later version adds, as the page says',
    (_, schema) => {
      expect(JSON.stringify(jsonSchemaOf(schema, 'output'))).not.toContain('"additionalProperties":false');
      expect(page.text).toContain('A later version may add fields to an event');
    },
  );
});

describe('the events that docs/events.md describes by another one', () => {
  const fieldsOf = (schema: { shape: object }) => Object.keys(schema.shape).sort();

  test('product.create.requested has the fields of catalog.sync.requested', () => {
    const { 'product.create.requested': creation, 'catalog.sync.requested': sync } = schemasOfEventsIn;
    expect(jsonSchemaOf(creation, 'input')).toEqual(jsonSchemaOf(sync, 'input'));
  });

  test.each(['batch.submitted', 'batch.unresolved'] as const)(
    '%s has the fields of batch.completed without state',
    (type) => {
      const ended = outgoingDetailSchemas['batch.completed'].omit({ state: true });
      expect(fieldsOf(outgoingDetailSchemas[type])).toEqual(fieldsOf(ended));
    },
  );

  test('changes of product.update.requested are the fields of a product but externalId', () => {
    const { externalId: _, ...fields } = { ...simpleProduct.shape, ...variantProduct.shape };
    expect(fieldsOf(productChanges)).toEqual(Object.keys(fields).sort());
  });
});
