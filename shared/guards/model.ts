import { z } from 'zod';

/** When a store's price changes look like a mistake. */
export const guardLimitsSchema = z.object({
  /** Share of the store's listings with a price, in percent. */
  maxListingsPercent: z.number().min(0).max(100),
  /** By how much a price or special price may change within the window before it counts, in percent. */
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
  /** Targets whose price has changed by too much, each once, and when: see `markOf`. */
  changed: z.array(z.string()).optional(),
  /** How many listings with a price the store has, as counted last. `at`: epoch ms. */
  known: z.object({ listings: z.number().int(), at: z.number().int() }).optional(),
  /** Epoch ms: when a hold was lifted last; what changed before counts no more. */
  liftedAt: z.number().int().optional(),
  hold: holdSchema.optional(),
});

export type GuardLimits = z.infer<typeof guardLimitsSchema>;
export type PriceGuard = z.infer<typeof priceGuardSchema>;

/** What came of discarding values that wait. */
export const discardReportSchema = z.object({
  /** Listings whose waiting values were discarded. */
  discarded: z.int(),
  /** `false` when the time was up: the call is to be made again. */
  done: z.boolean(),
});
export type DiscardReport = z.infer<typeof discardReportSchema>;
