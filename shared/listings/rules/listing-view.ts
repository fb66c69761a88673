import { z } from 'zod';
import { definedOf } from '../../collections/defined-of.ts';
import {
  type Listing,
  liveSchema,
  type Register,
  type RegisterName,
  registerEntries,
  registerNameSchema,
  registerSchema,
  type SettledRegister,
  sentRegisterSchema,
  versionKindSchema,
} from '../model.ts';
import { shownValuesOf } from './shown-values.ts';
import { nextStep, notBeforeOf } from './waiting.ts';

/** Where one register stands. Times (`at`, `occurredAt`) are ISO 8601. */
const registerViewSchema = z.object({
  /** The partner's newest value; `occurredAt` where versions are times. */
  desired: registerSchema.extend({ occurredAt: z.string().optional() }),
  /** The value last sent, and when its request was signed. */
  sent: sentRegisterSchema.optional(),
  /** The value last accepted by the marketplace. */
  accepted: sentRegisterSchema.optional(),
  /** Its last answer, when that was a rejection. */
  rejected: sentRegisterSchema.extend({ code: z.string() }).optional(),
  /** The value that the marketplace showed when the product was last read, and the version of it, if it is the partner's. */
  live: registerSchema.partial({ version: true }).extend({ at: z.string() }).optional(),
});

/** One target as an operator sees it. */
export const listingViewSchema = z.object({
  storeClientId: z.string(),
  target: z.string(),
  versionKind: versionKindSchema,
  registers: z.record(registerNameSchema, registerViewSchema),
  /** All that the last read showed; absent while the product has not been read. */
  live: liveSchema.optional(),
  /** Registers that are sent next, if any wait. */
  next: z.array(registerNameSchema).optional(),
  /** ISO 8601. */
  waitingSince: z.string().optional(),
  /** ISO 8601. Nothing leaves before: a backoff, or an attempt whose outcome is unknown. */
  notBefore: z.string().optional(),
});

type RegisterView = z.infer<typeof registerViewSchema>;

/**
 * Shows a listing register by register: desired, sent, accepted, last seen live.
 *
 * @param pricesHeld whether the store's prices are held, which decides what is sent next.
 */
export function viewOfListing(
  listing: Listing,
  { pricesHeld = false }: { readonly pricesHeld?: boolean } = {},
) {
  const { storeClientId, target, versionKind, live, waitingSince } = listing;
  const registers = Object.fromEntries(
    registerEntries(listing.desired).map(([name, desired]) => [name, viewOfRegister(listing, name, desired)]),
  );
  const next = nextStep(listing, { pricesHeld })?.registers;
  const times = { waitingSince: isoOf(waitingSince), notBefore: isoOf(notBeforeOf(listing)) };
  return { storeClientId, target, versionKind, registers, ...definedOf({ live, next, ...times }) };
}

function viewOfRegister(listing: Listing, name: RegisterName, { value, version }: Register): RegisterView {
  const { versionKind, sent, settled } = listing;
  const occurredAt = versionKind === 'time' ? isoOf(version) : undefined;
  const answered = viewOfSettled(settled[name]);
  return {
    desired: { value, version, ...definedOf({ occurredAt }) },
    ...definedOf({ sent: sent[name], ...answered, live: viewOfLive(listing, name, answered.accepted) }),
  };
}

function viewOfSettled(settled: SettledRegister | undefined): Pick<RegisterView, 'accepted' | 'rejected'> {
  if (settled === undefined) return {};
  const { value, version, at, outcome, code = '', acceptedBefore } = settled;
  if (outcome === 'accepted') return { accepted: { value, version, at } };
  return { accepted: acceptedBefore, rejected: { value, version, at, code } };
}

/** Which value of ours it is can't be read: the likeliest is the one accepted, then one that was sent. */
function viewOfLive(
  listing: Listing,
  name: RegisterName,
  accepted: RegisterView['accepted'],
): RegisterView['live'] {
  const { desired, sent, live } = listing;
  const value = liveValueOf(listing, name);
  if (live === undefined || value === undefined) return undefined;
  const ours = [accepted, sent[name], desired[name]];
  const version = ours.find((register) => register?.value === value)?.version;
  return { value, ...definedOf({ version }), at: live.at };
}

function isoOf(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

/**
 * The value last seen of a register; `undefined` where none was shown, or where warehouses show different values of the
 * global stock.
 */
export function liveValueOf({ desired, live }: Listing, name: RegisterName): number | null | undefined {
  if (live === undefined) return undefined;
  const values = new Set(shownValuesOf(desired, live.values, name));
  return values.size === 1 ? [...values][0] : undefined;
}
