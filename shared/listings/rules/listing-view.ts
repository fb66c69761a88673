import * as z from 'zod';
import { definedOf } from '../../collections/defined-of.ts';
import { isoTimeSchema } from '../../time/times.ts';
import {
  type DesiredRegister,
  type Listing,
  liveSchema,
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

/** The values of one register. Times (`at`, `occurredAt`) are ISO 8601. */
const registerViewSchema = z.object({
  /** The partner's newest value. `occurredAt`: present if versions are times. `given`: the negative stock for which the value is 0. */
  desired: registerSchema.extend({ occurredAt: isoTimeSchema.optional(), given: z.number().optional() }),
  /** The value last sent, and when its request was signed. */
  sent: sentRegisterSchema.optional(),
  /** The value last accepted by the marketplace. */
  accepted: sentRegisterSchema.optional(),
  /** The marketplace's last answer, if it was a rejection. */
  rejected: sentRegisterSchema.extend({ code: z.string() }).optional(),
  /** The value that the last read of the product showed. It has a version if the partner gave this value. */
  live: registerSchema.partial({ version: true }).extend({ at: z.string() }).optional(),
});

/** A listing as the operations API shows it. */
export const listingViewSchema = z.object({
  storeClientId: z.string(),
  target: z.string(),
  versionKind: versionKindSchema,
  registers: z.record(registerNameSchema, registerViewSchema),
  /** All values of the last read of the product; absent before the first read. */
  live: liveSchema.optional(),
  /** The registers that are sent next; absent if none waits. */
  next: z.array(registerNameSchema).optional(),
  waitingSince: isoTimeSchema.optional(),
  /** No value is sent before this `IsoTime`, because of a back-off or of a request whose outcome is unknown. */
  notBefore: z.string().optional(),
});

type RegisterView = z.infer<typeof registerViewSchema>;

/**
 * Shows a listing register by register: desired, sent, accepted, last seen live.
 *
 * @param pricesHeld whether the price guard holds the store's prices. If so, no price is in `next`.
 */
export function viewOfListing(
  listing: Listing,
  { pricesHeld = false }: { readonly pricesHeld?: boolean } = {},
) {
  const { storeClientId, target, versionKind, live, waitingSince } = listing;
  const registers = Object.fromEntries(
    registerEntries(listing.desired).map(([name, desired]) => [name, viewOfRegister(listing, name, desired)]),
  );
  const step = nextStep(listing);
  const next = pricesHeld && step?.kind === 'price' ? undefined : step?.registers;
  const times = { waitingSince: isoOf(waitingSince), notBefore: isoOf(notBeforeOf(listing)) };
  return { storeClientId, target, versionKind, registers, ...definedOf({ live, next, ...times }) };
}

function viewOfRegister(
  listing: Listing,
  name: RegisterName,
  { value, version, given }: DesiredRegister,
): RegisterView {
  const { versionKind, sent, settled } = listing;
  const occurredAt = versionKind === 'time' ? isoOf(version) : undefined;
  const answered = viewOfSettled(settled[name]);
  return {
    desired: { value, version, ...definedOf({ occurredAt, given }) },
    ...definedOf({ sent: sent[name], ...answered, live: viewOfLive(listing, name, answered.accepted) }),
  };
}

function viewOfSettled(settled: SettledRegister | undefined): Pick<RegisterView, 'accepted' | 'rejected'> {
  if (settled === undefined) return {};
  const { value, version, at, outcome, code = '', acceptedBefore } = settled;
  if (outcome === 'accepted') return { accepted: { value, version, at } };
  return { accepted: acceptedBefore, rejected: { value, version, at, code } };
}

/** A read shows no version. If several values match, the accepted one is most likely, then the sent one, then the desired one. */
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
 * The value of a register in the last read; `undefined` if it was not shown, or if warehouses show different values of the
 * global stock.
 */
export function liveValueOf({ desired, live }: Listing, name: RegisterName): number | null | undefined {
  if (live === undefined) return undefined;
  const values = new Set(shownValuesOf(desired, live.values, name));
  return values.size === 1 ? [...values][0] : undefined;
}
