import { z } from 'zod';

const versionSchema = z.object({
  /** Epoch ms: when the command was given. */
  time: z.number(),
  commandId: z.string(),
});

/** Which command last set a field. The later one is newer; commands of one time follow the order of their IDs. */
export type FieldVersion = z.infer<typeof versionSchema>;

const openTurnSchema = versionSchema.extend({
  /** Tells the deliveries of one command apart. */
  turnId: z.string(),
  /** Names of the fields that the command sets. */
  fields: z.array(z.string()),
  /** Epoch ms: until then nobody else may send. */
  until: z.number(),
});

/** A command that took its turn, and of which it is not known yet what came of it. */
export type OpenTurn = z.infer<typeof openTurnSchema>;

/** Whose turn it is to update a product, and which commands its fields are from. */
export const productTurnSchema = z.object({
  /** Newest version of each field that the marketplace is known to have taken, by the field's name. */
  fields: z.record(z.string(), versionSchema),
  openTurns: z.array(openTurnSchema).default([]),
  /** ISO 8601. */
  updatedAt: z.string(),
});

export type ProductTurn = z.infer<typeof productTurnSchema>;

/** An update that asks for its turn. */
export type TurnRequest = Omit<OpenTurn, 'until'>;
