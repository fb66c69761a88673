import * as z from 'zod';
import { registerNameSchema } from '../../listings/model.ts';

/** Most items that are compared in one call. */
export const MOST_RECONCILED = 100;

/** One value that is not live as it should be. */
const wantedDifferenceSchema = z.object({
  target: z.string(),
  register: registerNameSchema,
  wanted: z.number().nullable(),
  /** Absent if the product does not show the register. */
  live: z.number().nullable().optional(),
});

/** The comparison of the given items with the live values. */
export const reconcileReportSchema = z.object({
  differences: z.array(wantedDifferenceSchema),
  /** Targets whose live values are equal to the given ones. */
  equal: z.array(z.string()),
  /** Targets without a product at the marketplace. */
  missing: z.array(z.string()),
  /** Targets that could not be read in time. */
  unread: z.array(z.string()),
  /** Items that break a rule, by their position. */
  invalid: z.array(z.object({ index: z.int(), field: z.string(), message: z.string() })),
  /** Number of items that were sent. */
  sent: z.int(),
});

export type WantedDifference = z.infer<typeof wantedDifferenceSchema>;
export type ReconcileReport = z.infer<typeof reconcileReportSchema>;
