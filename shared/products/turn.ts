import { z } from 'zod';

const versionSchema = z.object({
  /** Epoch ms: when the command was given. */
  time: z.number(),
  commandId: z.string(),
});

/** Which command last set a field. The later one is newer; commands of one time follow the order of their IDs. */
export type FieldVersion = z.infer<typeof versionSchema>;

const fieldsSchema = z.record(z.string(), versionSchema);

/** Whose turn it is to update a product, and which commands its fields are from. */
export const productTurnSchema = z.object({
  /** Newest version of each field that was sent to the marketplace, by the field's name. */
  fields: fieldsSchema,
  holder: z
    .object({
      commandId: z.string(),
      /** Epoch ms: until then no other command may send. */
      until: z.number(),
      /** The fields as they were before the holder. */
      before: fieldsSchema,
    })
    .optional(),
  /** ISO 8601. */
  updatedAt: z.string(),
});

export type ProductTurn = z.infer<typeof productTurnSchema>;

/** An update that asks for its turn. */
export interface TurnRequest extends FieldVersion {
  /** Names of the fields that it sets. */
  readonly fields: readonly string[];
}
