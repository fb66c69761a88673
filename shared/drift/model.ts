import * as z from 'zod';
import { countSchema } from '../collections/counts.ts';
import { type liveSchema, registerNameSchema } from '../listings/model.ts';
import { epochMsSchema, isoTimeSchema } from '../time/times.ts';

/** A register whose live value differs from the wanted one. */
const openDriftSchema = z.object({
  wanted: z.number().nullable(),
  /** Version of the wanted value. */
  version: z.number().int(),
  live: z.number().nullable(),
  /** Time of the first read that showed the difference. */
  since: isoTimeSchema,
  /** When the repair marked the register as waiting. */
  rearmedAt: epochMsSchema.optional(),
});

/** The drift of one register: the open difference, and facts of earlier ones. */
export const registerDriftSchema = z.object({
  open: openDriftSchema.optional(),
  /** Time of the read that showed the wanted value again. Kept until a later cycle shows the wanted value too. */
  repairedAt: epochMsSchema.optional(),
  /** How many times in a row the register differed again in the cycle after its repair. */
  relapses: countSchema,
  /** When the register became contested. It is not repaired until a person decides. */
  contestedSince: isoTimeSchema.optional(),
});

/** The drift of one listing. A listing without drift has no record. */
export const driftSchema = z.object({
  storeClientId: z.string().min(1),
  target: z.string().min(1),
  registers: z.partialRecord(registerNameSchema, registerDriftSchema),
  /** Several cycles in a row may not have shown the product: start of the first of them. */
  notShownSince: isoTimeSchema.optional(),
  /** End of the second cycle in a row that did not show the product. */
  missingSince: isoTimeSchema.optional(),
});

/** A product that has no listing, by the names that the marketplace gives it. */
export const unknownProductSchema = z.object({
  id: z.string(),
  sku: z.string().optional(),
  externalId: z.string().optional(),
});

/** The lists of products (§4.11) that a cycle reads. It is not specified whether `listed` also has archived products. */
const listSchema = z.enum(['listed', 'archived']);

/** The products of one page of a list. */
export const shownPageSchema = z.object({
  list: listSchema,
  /** Number of the page, from 1. */
  page: z.number().int().positive(),
  /** `startedAt` of the cycle that read it. */
  cycle: z.string(),
  /** Listings whose products are on the page. */
  targets: z.array(z.string()),
  unknown: z.array(unknownProductSchema),
});

/** A cycle in progress. */
const cycleSchema = z.object({
  startedAt: isoTimeSchema,
  /** `closing`: all pages were read, and listings without a product on any page are recorded. */
  phase: z.enum([...listSchema.options, 'closing']),
  /** The next page. */
  page: z.number().int().positive(),
  /** Pages read. */
  pages: z.number().int(),
  /** Listings that were compared. */
  verified: z.number().int(),
});

const endedCycleSchema = z.object({
  startedAt: isoTimeSchema,
  endedAt: isoTimeSchema,
  /** Pages read. */
  pages: z.number().int(),
  /** Listings of the store at the end of the cycle. */
  listings: z.number().int(),
  /** Listings whose product the cycle showed. */
  verified: z.number().int(),
  /** Listings with an open difference, contested ones included. */
  drifted: z.number().int(),
  missingProducts: z.number().int(),
  unknownProducts: z.number().int(),
});

/** The progress of the verification of one store. */
export const verificationSchema = z.object({
  storeClientId: z.string().min(1),
  cycle: cycleSchema.optional(),
  /** The last whole cycle. */
  last: endedCycleSchema.optional(),
});

export type OpenDrift = z.infer<typeof openDriftSchema>;
export type RegisterDrift = z.infer<typeof registerDriftSchema>;
export type Drift = Readonly<z.infer<typeof driftSchema>>;
export type UnknownProduct = z.infer<typeof unknownProductSchema>;
export type ShownPage = Readonly<z.infer<typeof shownPageSchema>>;
export type Cycle = z.infer<typeof cycleSchema>;
export type EndedCycle = z.infer<typeof endedCycleSchema>;
export type Verification = Readonly<z.infer<typeof verificationSchema>>;
export type ShownValues = z.infer<typeof liveSchema>['values'];
