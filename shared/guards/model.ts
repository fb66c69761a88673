import { z } from 'zod';

/** When a store's price changes look like a mistake. */
export const guardLimitsSchema = z.object({
  /** Share of the store's listings with a price, in percent. */
  maxListingsPercent: z.number().min(0).max(100),
  /** By how much a price or special price may change before it counts, in percent of what it was when the window began. */
  maxChangePercent: z.number().positive(),
  windowMinutes: z
    .number()
    .int()
    .positive()
    .max(7 * 24 * 60),
});

/** A store's prices are held back, and the raises behind them; never a zero. */
export const holdSchema = z.object({
  /** ISO 8601. */
  since: z.string(),
  reason: z.string(),
  changedListings: z.number().int(),
  knownListings: z.number().int(),
  /** Whether `prices.held` is known to be on the bus. */
  announced: z.boolean(),
});

/** The guard of one store against mass mistakes in prices; off without `limits`. */
export const priceGuardSchema = z.object({
  storeClientId: z.string().min(1),
  limits: guardLimitsSchema.optional(),
  /** What was counted since `startedAt`, epoch ms. */
  window: z
    .object({
      startedAt: z.number().int(),
      /** Targets whose price has changed by too much, each once, and when: see `writeMark`. */
      changed: z.array(z.string()),
      /** Those of the window before, as long as they count. */
      carried: z.array(z.string()).optional(),
      /** How many more were counted when there was no room for digests any more: one of these may count twice. */
      changedBeyond: z.number().int(),
      /** Absent until the first one changes by too much. */
      knownListings: z.number().int().optional(),
    })
    .optional(),
  hold: holdSchema.optional(),
});

export type GuardLimits = z.infer<typeof guardLimitsSchema>;
export type PriceGuard = z.infer<typeof priceGuardSchema>;

/** What came of dropping values that wait. */
export const dropReportSchema = z.object({
  /** Listings whose waiting values were dropped. */
  discarded: z.int(),
  /** `false` when the time was up: the call is to be made again. */
  done: z.boolean(),
});
export type DropReport = z.infer<typeof dropReportSchema>;
