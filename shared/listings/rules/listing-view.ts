import {
  type Listing,
  type Register,
  type RegisterName,
  registerEntries,
  type SentRegister,
  type SettledRegister,
} from '../model.ts';
import { nextStep } from './waiting.ts';

/** Where one register stands. Times (`at`, `occurredAt`) are ISO 8601. */
export interface RegisterView {
  /** The partner's newest value; `occurredAt` where versions are times. */
  readonly desired: Register & { readonly occurredAt?: string };
  /** The value last sent, and when its request was signed. */
  readonly sent?: SentRegister;
  /** The value last accepted by the marketplace. */
  readonly accepted?: SentRegister;
  /** Its last answer, when that was a rejection. */
  readonly rejected?: SentRegister & { readonly code: string };
}

/** One target as an operator sees it. */
export interface ListingView {
  readonly storeClientId: string;
  readonly target: string;
  /** Other names of the same product. */
  readonly aliases: readonly string[];
  readonly versionKind: Listing['versionKind'];
  readonly registers: Readonly<Partial<Record<RegisterName, RegisterView>>>;
  /** What leaves next, if anything waits. */
  readonly next?: readonly RegisterName[];
  readonly waitingSince?: string;
  /** Nothing leaves before: a backoff, or an attempt whose outcome is unknown. */
  readonly notBefore?: string;
}

/** Shows a listing register by register: desired, sent, accepted. */
export function viewOfListing(listing: Listing): ListingView {
  const { storeClientId, target, aliases = [], versionKind, waitingSince, notBefore } = listing;
  const registers = Object.fromEntries(
    registerEntries(listing.desired).map(([name, desired]) => [name, viewOfRegister(listing, name, desired)]),
  );
  const next = nextStep(listing)?.registers;
  return {
    storeClientId,
    target,
    aliases,
    versionKind,
    registers,
    ...(next === undefined ? {} : { next }),
    ...(waitingSince === undefined ? {} : { waitingSince: isoOf(waitingSince) }),
    ...(notBefore === undefined ? {} : { notBefore: isoOf(notBefore) }),
  };
}

function viewOfRegister(
  { versionKind, sent, settled }: Listing,
  name: RegisterName,
  desired: Register,
): RegisterView {
  const lastSent = sent[name];
  return {
    desired: versionKind === 'time' ? { ...desired, occurredAt: isoOf(desired.version) } : desired,
    ...(lastSent === undefined ? {} : { sent: lastSent }),
    ...viewOfSettled(settled[name]),
  };
}

function viewOfSettled(settled: SettledRegister | undefined): Pick<RegisterView, 'accepted' | 'rejected'> {
  if (settled === undefined) return {};
  const { value, version, at, outcome, code = '', acceptedBefore } = settled;
  if (outcome === 'accepted') return { accepted: { value, version, at } };
  const rejected = { value, version, at, code };
  return acceptedBefore === undefined ? { rejected } : { accepted: acceptedBefore, rejected };
}

function isoOf(time: number): string {
  return new Date(time).toISOString();
}
