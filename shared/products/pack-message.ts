import { z } from 'zod';
import { isObject } from '../collections/is-object.ts';
import { parseJson } from '../collections/parse-json.ts';
import type { CommandPack } from './model.ts';

/**
 * Message of the product commands queue that holds several bulk commands, each with what tells it from the others. No
 * partner can give one: an event on the bus has its content in `detail`, and `pack` stands beside that.
 */
const packMessageSchema = z.object({
  pack: z.object({
    packId: z.string().min(1),
    storeClientId: z.string().min(1),
    detailType: z.enum(['catalog.sync.requested', 'product.create.requested']),
    parts: z
      .array(
        z.object({
          commandId: z.string().min(1),
          eventId: z.string().min(1),
          /** Epoch ms: when the command was given. */
          time: z.number(),
          products: z.array(z.unknown()).min(1),
        }),
      )
      .min(2),
  }),
});

export type PackMessage = z.infer<typeof packMessageSchema>;
export type PackPart = PackMessage['pack']['parts'][number];

/**
 * The pack that a message's body holds; `undefined` for any other message.
 *
 * @throws {z.ZodError} for a pack that is none: a fault of ours, and nobody's to be told of.
 */
export function readPackMessage(body: string): CommandPack | undefined {
  const json = parseJson(body);
  if (!isObject(json) || !('pack' in json)) return undefined;
  const { parts, ...pack } = packMessageSchema.parse(json).pack;
  const { storeClientId, detailType } = pack;
  return { ...pack, commands: parts.map((part) => ({ ...part, storeClientId, detailType })) };
}
