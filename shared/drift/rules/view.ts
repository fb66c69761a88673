import * as z from 'zod';
import { definedOf } from '../../collections/defined-of.ts';
import { registerEntries, registerNameSchema } from '../../listings/model.ts';
import { type EpochMs, isoTimeSchema } from '../../time/times.ts';
import {
  type Drift,
  type ShownPage,
  unknownProductSchema,
  type Verification,
  verificationSchema,
} from '../model.ts';
import { verifiedPercent } from './cycle.ts';

export const driftKindSchema = z.enum(['drifted', 'contested', 'missing-product', 'unknown-product']);
export type DriftKind = z.infer<typeof driftKindSchema>;

/** A register whose live value is not the wanted one. */
const differenceSchema = z.object({
  kind: driftKindSchema.extract(['drifted', 'contested']),
  target: z.string(),
  register: registerNameSchema,
  wanted: z.number().nullable(),
  live: z.number().nullable(),
  /** Time of the first read that showed the difference. */
  since: isoTimeSchema,
  /** When the repair marked the register as waiting. Absent without a repair. */
  repairBegunAt: isoTimeSchema.optional(),
  contestedSince: isoTimeSchema.optional(),
});

/** A listing whose product is gone. */
const missingProductSchema = z.object({
  kind: driftKindSchema.extract(['missing-product']),
  target: z.string(),
  /** End of the second cycle in a row that did not show the product. */
  since: isoTimeSchema,
});

/** A product without a listing. */
const unknownSchema = unknownProductSchema.extend({ kind: driftKindSchema.extract(['unknown-product']) });

export const driftEntrySchema = z.union([differenceSchema, missingProductSchema, unknownSchema]);
export type DriftEntry = z.infer<typeof driftEntrySchema>;

export const verificationViewSchema = z.object({
  /** The last whole cycle; absent before the first has ended. */
  lastCycle: verificationSchema.shape.last,
  /** The cycle in progress. */
  cycle: verificationSchema.shape.cycle
    .unwrap()
    .pick({ startedAt: true, pages: true, verified: true })
    .optional(),
  /**
   * Percent of the listings that were compared with live values within the last `hours`. The listings are those at the end of the last
   * whole cycle. Absent if there were none.
   */
  verified: z.object({ hours: z.number(), percent: z.number() }).optional(),
});

/** The progress of a store's verification. `now` is epoch ms. */
export function viewOfVerification(
  verification: Verification | undefined,
  hours: number,
  now: EpochMs,
): z.infer<typeof verificationViewSchema> {
  const { cycle, last } = verification ?? {};
  const percent = verification && verifiedPercent(verification, hours, now);
  const verified = percent === undefined ? undefined : { hours, percent };
  return verificationViewSchema.parse(definedOf({ lastCycle: last, cycle, verified }));
}

/** The entries of one listing, of the given kinds. */
export function entriesOf(
  { target, registers, missingSince }: Drift,
  kinds: readonly DriftKind[],
): DriftEntry[] {
  const differences = registerEntries(registers).flatMap(([register, drift]): DriftEntry[] => {
    const { open, contestedSince } = drift ?? {};
    if (open === undefined) return [];
    const { wanted, live, since, rearmedAt } = open;
    const difference = { target, register, wanted, live, since };
    if (contestedSince !== undefined) return [{ kind: 'contested', ...difference, contestedSince }];
    const begun = rearmedAt === undefined ? {} : { repairBegunAt: new Date(rearmedAt).toISOString() };
    return [{ kind: 'drifted', ...difference, ...begun }];
  });
  const missing: DriftEntry[] = missingSince
    ? [{ kind: 'missing-product', target, since: missingSince }]
    : [];
  return [...differences, ...missing].filter(({ kind }) => kinds.includes(kind));
}

export function unknownOf({ unknown }: ShownPage): DriftEntry[] {
  return unknown.map((product) => ({ kind: 'unknown-product', ...product }));
}
