import * as z from 'zod';
import { triesSchema } from '../attempts/model.ts';
import { countSchema } from '../collections/counts.ts';
import { epochMsSchema, isoTimeSchema } from '../time/times.ts';

/**
 * Names of a listing's registers: `price`, `specialPrice`, `stock` (global) and `stock:{clientId}` of a warehouse.
 * Each register has a version of its own and follows its own newest value.
 */
export const registerNameSchema = z.union([
  z.literal('price'),
  z.literal('specialPrice'),
  z.literal('stock'),
  z.templateLiteral(['stock:', z.string().min(1)]),
]);

/** A value with its version: epoch ms or the partner's own integer, see `versionKind`. `null` only clears a special price. */
export const registerSchema = z.object({ value: z.number().nullable(), version: z.number().int() });

const desiredRegisterSchema = registerSchema.extend({
  /** Stock only: the lowest earlier value that the marketplace may have applied, if it is lower than `value`. */
  lowest: z.number().optional(),
  /** The negative stock that the partner gave. `value` is 0 then. */
  given: z.number().negative().optional(),
});

/** The value of a register that was sent last. */
export const sentRegisterSchema = registerSchema.extend({
  /** When its request was signed. */
  at: isoTimeSchema,
  /** The batch of its request, once the answer is known. */
  batchId: z.string().optional(),
});

/** The marketplace's last answer to a register, with the value and version that it answers. */
const settledRegisterSchema = registerSchema.extend({
  outcome: z.enum(['accepted', 'rejected']),
  /** Code of the row error, if rejected. */
  code: z.string().optional(),
  at: isoTimeSchema,
  /** If rejected: the value that was accepted before. The marketplace still shows that value. */
  acceptedBefore: sentRegisterSchema.optional(),
});

/** The values that the marketplace showed when the product was last read. */
export const liveSchema = z.object({
  /** When the read began. */
  at: isoTimeSchema,
  /** A register that was not shown has no entry. */
  values: z.partialRecord(registerNameSchema, z.number().nullable()),
  /** The marketplace's `id` of the product. */
  productId: z.string().optional(),
  /** Set if the read found no such product. */
  missing: z.literal(true).optional(),
});

export const versionKindSchema = z.enum(['time', 'integer']);

/** The prices before a change, which the price guard compares with the new ones. */
const guardedPricesSchema = z.object({
  /** When the first of these prices changed. */
  since: epochMsSchema,
  /** Prices that had a value. */
  values: z.object({
    price: z.number().nullable().optional(),
    specialPrice: z.number().nullable().optional(),
  }),
});

/** The desired price and stock of one target of one store: the source of truth for waiting work. */
export const listingSchema = z.object({
  storeClientId: z.string().min(1),
  target: z.string().min(1),
  /**
   * The product's `externalId` as its creation wrote it, or else as last given. Absent if it has no capitals: `target` then has the
   * same text.
   */
  externalId: z.string().optional(),
  versionKind: versionKindSchema,
  desired: z.partialRecord(registerNameSchema, desiredRegisterSchema),
  sent: z.partialRecord(registerNameSchema, sentRegisterSchema),
  settled: z.partialRecord(registerNameSchema, settledRegisterSchema),
  live: liveSchema.optional(),
  /** The marketplace's `id` of the product, in lower case, as the last answer or read showed it. Listings are found by this ID. */
  productId: z.string().optional(),
  /** Since when a value of this listing waits. Absent if none waits. */
  waitingSince: epochMsSchema.optional(),
  /** The listing's page while a value waits, see `WaitingPage`. */
  page: z.string().optional(),
  /** No value of this listing may be sent before this time (an `EpochMs`): until then a request of unknown outcome may land. */
  notBefore: z.number().int().optional(),
  /** End of the back-off after a row that was refused for now. Lowered stock that was not sent yet does not wait for this time. */
  backoffUntil: epochMsSchema.optional(),
  /** Each value of the stock is sent in a row of its own: a row with several values was rejected, maybe because of one of them. */
  oneAtATime: z.literal(true).optional(),
  /** Only in stores with a price guard, after a change of prices. */
  guardedPrices: guardedPricesSchema.optional(),
  /** Consecutive retryable failures, for the back-off. */
  failures: countSchema,
  /** Failed tries since a value of this listing was last settled. */
  tries: triesSchema.optional(),
  /** When the creation of the product was known. Outcomes of rows that were signed earlier are ignored. */
  createdAt: epochMsSchema.optional(),
  /**
   * The last rename by which a product lost this name. The product's values went to the listing of `to`, and changes up to `version`
   * are about that product. `time`: when the update with the rename was given, epoch ms.
   */
  renamed: z
    .object({
      to: z.string(),
      versionKind: versionKindSchema,
      version: z.number().int(),
      time: z.number(),
      /** Values that an operator had discarded. They did not go to the new name. */
      discarded: z.array(registerNameSchema).optional(),
    })
    .optional(),
  /** For a created product: the targets of its other names. */
  sameAs: z.array(z.string()).optional(),
  /**
   * All versions of the listing are times of commands. The first version that the partner gives decides the kind. An integer is newer
   * than all these times (`LOWEST_VERSION`).
   */
  isKindOpen: z.literal(true).optional(),
});

export type RegisterName = z.infer<typeof registerNameSchema>;
export type Register = Readonly<z.infer<typeof registerSchema>>;
export type Registers = Partial<Record<RegisterName, Register>>;
export type DesiredRegister = z.infer<typeof desiredRegisterSchema>;
export type GuardedPrices = z.infer<typeof guardedPricesSchema>;
export type VersionKind = z.infer<typeof versionKindSchema>;
export type SentRegister = z.infer<typeof sentRegisterSchema>;
export type SettledRegister = z.infer<typeof settledRegisterSchema>;
export type Live = z.infer<typeof liveSchema>;
export type Listing = Readonly<z.infer<typeof listingSchema>>;

/** A partner's new values for one target, all of one version. */
export interface ListingChange {
  readonly storeClientId: string;
  readonly target: string;
  /** As given. Absent if it has no capitals: `target` then has the same text. */
  readonly externalId?: string | undefined;
  readonly versionKind: VersionKind;
  readonly version: number;
  /** Whether the version is the time of a command. Such a version does not set the listing's kind of version. */
  readonly isOfCommand?: boolean | undefined;
  readonly values: Live['values'];
  /** The negative stock that was given. The register has the value 0 instead. */
  readonly negative?: Partial<Record<RegisterName, number>> | undefined;
  /** Values that were read at the marketplace. They are used only for registers without a value of the partner. */
  readonly base?: Partial<Record<RegisterName, number>> | undefined;
}

/**
 * The lowest version that a value of the partner has. An integer can't be compared with a time of a command. So when the first
 * integer comes, this number is added to the times: they keep their order and are below 0, older than every integer. Values that
 * were read at the marketplace have versions below this number, older than every value of the partner.
 */
export const LOWEST_VERSION = -10_000_000_000_000;

/** Whether a value was read at the marketplace, not given by the partner. Every value of the partner is newer. */
export function isReadAtMarketplace({ version }: Register): boolean {
  return version < LOWEST_VERSION;
}

/** A listing without stock and prices. */
export function emptyListing({ storeClientId, target }: Pick<Listing, 'storeClientId' | 'target'>): Listing {
  const registers = { desired: {}, sent: {}, settled: {} };
  return { storeClientId, target, versionKind: 'time', ...registers, failures: 0, isKindOpen: true };
}

/** The listing with another `externalId`, or without one. */
export function withExternalId(listing: Listing, externalId: string | undefined): Listing {
  if (listing.externalId === externalId) return listing;
  const { externalId: _, ...rest } = listing;
  return { ...rest, ...(externalId !== undefined && { externalId }) };
}

/** Row errors that say that the target does not exist (spec §7). */
export const MISSING_TARGET_CODES: ReadonlySet<string> = new Set(['INV_001', 'INV_002', 'PRD_016']);

/** Code of a value that an operator discarded. */
export const DISCARDED = 'DISCARDED';

/** `Object.entries` for registers, with their types. */
export function registerEntries<V>(registers: Partial<Record<RegisterName, V>>): [RegisterName, V][] {
  return Object.entries(registers) as [RegisterName, V][];
}

/** The registers whose names are not in `names`. */
export function registersWithout<V>(
  registers: Partial<Record<RegisterName, V>>,
  names: readonly RegisterName[],
): Partial<Record<RegisterName, V>> {
  return Object.fromEntries(registerEntries(registers).filter(([name]) => !names.includes(name)));
}

export function isStockRegister(name: RegisterName): boolean {
  return name === 'stock' || name.startsWith('stock:');
}

/** The newest version among all stock registers of a listing; `undefined` without stock. */
export function newestStockVersion({ desired }: Pick<Listing, 'desired'>): number | undefined {
  const versions = registerEntries(desired).flatMap(([name, { version }]) =>
    isStockRegister(name) ? [version] : [],
  );
  return versions.length > 0 ? Math.max(...versions) : undefined;
}

/** The warehouse of a `stock:{clientId}` register; `undefined` for other registers. */
export function warehouseOf(name: RegisterName): string | undefined {
  return name.startsWith('stock:') ? name.slice('stock:'.length) : undefined;
}

export function isSameValue(a: Register | undefined, b: Register | undefined): boolean {
  return a?.version === b?.version && a?.value === b?.value;
}

/**
 * The total order of a register's values. The newer version wins. At equal versions the smaller stock or price wins, and a
 * special price wins over `null`. Returns > 0 if `a` wins, < 0 if `b` wins, 0 if they are equal.
 */
export function compareRegisters(name: RegisterName, a: Register, b: Register): number {
  if (a.version !== b.version) return a.version - b.version;
  if (a.value === b.value) return 0;
  if (name === 'specialPrice' && (a.value === null || b.value === null)) return a.value === null ? -1 : 1;
  return (b.value ?? 0) - (a.value ?? 0);
}

/** The last value of a register that is known to be accepted. */
export function lastAccepted(settled: SettledRegister | undefined): SentRegister | undefined {
  return settled?.outcome === 'rejected' ? settled.acceptedBefore : settled;
}
