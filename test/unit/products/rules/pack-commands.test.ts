import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../../shared/collections/packer.ts';
import { shapeOf } from '../../../../shared/products/model.ts';
import { readPackMessage } from '../../../../shared/products/pack-message.ts';
import { type PackedMessage, packCommands } from '../../../../shared/products/rules/pack-commands.ts';
import { simpleProduct, variantProduct } from '../../../run/catalog.ts';
import { NOW } from '../product-ports.ts';

interface Given {
  readonly storeClientId?: string;
  readonly detailType?: string;
  readonly products: readonly unknown[];
  readonly detail?: object;
}

/** A message of the n-th event; on the bus each has an ID and a time of its own. */
const messageOf = (
  n: number,
  { storeClientId = 's-1', detailType = 'product.create.requested', products, detail }: Given,
) => ({
  messageId: `message-${n}`,
  sentAt: NOW,
  body: JSON.stringify({
    id: `event-${n}`,
    time: new Date(NOW + n * 1000).toISOString(),
    'detail-type': detailType,
    detail: { storeClientId, products, ...detail },
  }),
});

function pack(given: readonly Given[], limits = { maxItems: 100, maxBytes: 200_000 }) {
  let packs = 0;
  const messages = given.map((one, index) => messageOf(index, one));
  return packCommands(messages, { ...limits, newPackId: () => `pack-${++packs}` });
}

/** Command IDs of each message, in order. */
const commandIdsIn = ({ body }: PackedMessage): string[] => {
  const { id, detail } = JSON.parse(body);
  return readPackMessage(body)?.commands.map(({ commandId }) => commandId) ?? [detail?.commandId ?? id];
};

const one = (n: number): Given => ({ products: [simpleProduct(n)] });

describe('packing commands', () => {
  test('commands of one store, kind and shape go on as one message that tells each from the others', () => {
    const [message, ...others] = pack([one(1), { ...one(2), detail: { commandId: 'c-2' } }]);
    expect(others).toEqual([]);
    expect(message?.messageIds).toEqual(['message-0', 'message-1']);
    expect(readPackMessage(message?.body ?? '')).toEqual({
      packId: 'pack-1',
      storeClientId: 's-1',
      detailType: 'product.create.requested',
      commands: [
        { commandId: 'event-0', eventId: 'event-0', time: NOW, products: [simpleProduct(1)] },
        { commandId: 'c-2', eventId: 'event-1', time: NOW + 1000, products: [simpleProduct(2)] },
      ].map((part) => ({ ...part, storeClientId: 's-1', detailType: 'product.create.requested' })),
    });
  });

  test.each<[string, Given]>([
    ['of another store', { ...one(2), storeClientId: 's-2' }],
    ['of another kind', { ...one(2), detailType: 'catalog.sync.requested' }],
    ['of another shape', { products: [variantProduct(2)] }],
    ['of both shapes', { products: [simpleProduct(2), variantProduct(3)] }],
    [
      'with a product of the same externalId',
      { products: [{ ...simpleProduct(2), externalId: simpleProduct(1).externalId }] },
    ],
    ['with a product of the same SKU', { products: [{ ...simpleProduct(2), sku: simpleProduct(1).sku }] }],
    ['that tries a batch again', { ...one(2), detail: { retryOf: 'b-1' } }],
    ['that is no command', { ...one(2), detailType: 'catalog.sync.wanted' }],
    ['without products', { products: [] }],
  ])('a command %s shares with no other', (_, other) => {
    expect(pack([one(1), other]).map(({ messageIds }) => messageIds)).toEqual([['message-0'], ['message-1']]);
  });

  test('a command that fits no pack with others goes on as it is', () => {
    const large: Given = { products: [1, 2, 3].map(simpleProduct) };
    const packed = pack([one(4), large, one(5)], { maxItems: 2, maxBytes: 200_000 });
    expect(packed.map(({ messageIds }) => messageIds)).toEqual([['message-0', 'message-2'], ['message-1']]);
    expect(packed[1]?.body).toBe(messageOf(1, large).body);
  });

  test.each([
    ['no JSON', 'no JSON', 'no JSON'],
    ['no object', '[1]', '[1]'],
    [
      'an event without ID and time',
      '{"detail-type":"x"}',
      `{"id":"m-1","time":"${new Date(NOW).toISOString()}","detail-type":"x"}`,
    ],
    ['an event with both', '{"id":"e","time":"t"}', '{"id":"e","time":"t"}'],
  ])('%s goes on under the identity that its message gave it', (_, body, sent) => {
    const settings = { maxItems: 100, maxBytes: 200_000, newPackId: () => 'pack' };
    expect(packCommands([{ messageId: 'm-1', sentAt: NOW, body }], settings)).toEqual([
      { body: sent, messageIds: ['m-1'] },
    ]);
  });

  test('every command is sent once, whole, in its order, and no pack is larger than a request', () => {
    const given = fc.record({
      storeClientId: fc.constantFrom('s-1', 's-2'),
      detailType: fc.constantFrom('catalog.sync.requested', 'product.create.requested'),
      products: fc.array(
        fc.oneof(
          { weight: 6, arbitrary: fc.nat(40).map(simpleProduct) },
          { weight: 3, arbitrary: fc.nat(40).map(variantProduct) },
          fc.constantFrom('text', 7, null),
        ),
        { minLength: 1, maxLength: 4 },
      ),
    });
    const maxBytes = fc.constantFrom(2_000, 5_000, 200_000);
    fc.assert(
      fc.property(
        fc.array(given, { maxLength: 30 }),
        fc.integer({ min: 1, max: 9 }),
        maxBytes,
        (all, maxItems, bytes) => {
          const packed = pack(all, { maxItems, maxBytes: bytes });
          const ids = packed.flatMap(commandIdsIn);
          expect(ids.toSorted()).toEqual(all.map((_, index) => `event-${index}`).sort());
          expect(packed.flatMap(({ messageIds }) => messageIds).toSorted()).toEqual(
            all.map((_, index) => `message-${index}`).sort(),
          );
          for (const { body } of packed) {
            const message = readPackMessage(body);
            if (message === undefined) continue;
            const products = message.commands.flatMap((command) => command.products);
            expect(products.length).toBeLessThanOrEqual(maxItems);
            expect(jsonBytes({ products })).toBeLessThanOrEqual(bytes + jsonBytes({ products: [] }));
            const numbers = message.commands.map(({ eventId }) => Number(eventId.slice('event-'.length)));
            expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
            for (const { eventId, ...command } of message.commands) {
              const original = all[Number(eventId.slice('event-'.length))];
              expect(command).toMatchObject({ ...original });
              const shapes = (some: readonly unknown[]) =>
                new Set(
                  some
                    .filter((product) => typeof product === 'object' && product !== null)
                    .map((product) => shapeOf(product as object as never)),
                );
              expect(shapes(command.products)).toEqual(shapes(products));
            }
          }
        },
      ),
    );
  });
});
