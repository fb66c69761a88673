import { z } from 'zod';

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

/** What is wanted of a register. */
const desiredRegisterSchema = registerSchema.extend({
  /** The lowest value before it that may be applied as well, where that is lower: of stock that was not accepted yet. */
  lowest: z.number().optional(),
});

/** What was sent last of a register, and when it was signed. */
export const sentRegisterSchema = registerSchema.extend({
  /** ISO 8601. */
  at: z.string(),
  /** Of the request, once its answer is known. */
  batchId: z.string().optional(),
});

/** What the marketplace answered last to a register, and which version of it that was. */
const settledRegisterSchema = registerSchema.extend({
  outcome: z.enum(['accepted', 'rejected']),
  /** The row error's code, when rejected. */
  code: z.string().optional(),
  /** ISO 8601. */
  at: z.string(),
  /** When rejected: what was accepted before, which the marketplace goes on showing. */
  acceptedBefore: sentRegisterSchema.optional(),
});

/** What the marketplace showed of a target when it was last read. */
export const liveSchema = z.object({
  /** ISO 8601; when the product was asked for. */
  at: z.string(),
  /** As they were shown; a register that is not among them was not shown. */
  values: z.partialRecord(registerNameSchema, z.number().nullable()),
  /** There was no such product. */
  missing: z.literal(true).optional(),
});

export const versionKindSchema = z.enum(['time', 'integer']);

/** Prices before they changed, for a store's guard to compare with. */
const guardedPricesSchema = z.object({
  /** Epoch ms: when the first of them changed. */
  since: z.number().int(),
  /** Those that there were. */
  values: z.object({
    price: z.number().nullable().optional(),
    specialPrice: z.number().nullable().optional(),
  }),
});

/** The desired price and stock of one target of one store: the source of truth for waiting work. */
export const listingSchema = z.object({
  storeClientId: z.string().min(1),
  target: z.string().min(1),
  versionKind: versionKindSchema,
  desired: z.partialRecord(registerNameSchema, desiredRegisterSchema),
  sent: z.partialRecord(registerNameSchema, sentRegisterSchema),
  settled: z.partialRecord(registerNameSchema, settledRegisterSchema),
  live: liveSchema.optional(),
  /** Epoch ms since when something of this listing waits; absent when nothing does. */
  waitingSince: z.number().int().optional(),
  /** The page that the listing is in while something waits (see `WaitingPage`). */
  page: z.string().optional(),
  /** Epoch ms before which nothing of this listing may be sent: an outcome is unknown until then. */
  notBefore: z.number().int().optional(),
  /** Epoch ms before which nothing leaves either, as a row was refused for now; but a zero that was not sent yet may. */
  backoffUntil: z.number().int().optional(),
  /** Only in stores with a price guard, of prices that have changed. */
  guardedPrices: guardedPricesSchema.optional(),
  /** Retryable failures in a row, for the backoff. */
  failures: z.number().int().nonnegative(),
  /** Epoch ms at which the creation of the target was known: outcomes of rows that were signed before do not count. */
  createdAt: z.number().int().optional(),
  /** Its versions are the times of commands only: an integer version takes their place (see `mergeChange`). */
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
  readonly versionKind: VersionKind;
  readonly version: number;
  /** The version is the time of a command, which decides no listing's kind of version. */
  readonly isOfCommand?: boolean | undefined;
  readonly values: Live['values'];
  /** Values of the lowest version: they only count where a register has none yet. */
  readonly base?: Partial<Record<RegisterName, number>> | undefined;
}

/** Code of a value that an operator discarded. */
export const DISCARDED = 'DISCARDED';

/** Names and entries of a register map, with their types kept. */
export function registerEntries<V>(registers: Partial<Record<RegisterName, V>>): [RegisterName, V][] {
  return Object.entries(registers) as [RegisterName, V][];
}

export function isStockRegister(name: RegisterName): boolean {
  return name === 'stock' || name.startsWith('stock:');
}

/** The newest version of a listing's stock, of all warehouses together; `undefined` without stock. */
export function newestStockVersion({ desired }: Pick<Listing, 'desired'>): number | undefined {
  const versions = registerEntries(desired).flatMap(([name, { version }]) =>
    isStockRegister(name) ? [version] : [],
  );
  return versions.length > 0 ? Math.max(...versions) : undefined;
}

/** The warehouse of a `stock:{clientId}` register; `undefined` for every other. */
export function warehouseOf(name: RegisterName): string | undefined {
  return name.startsWith('stock:') ? name.slice('stock:'.length) : undefined;
}

/** Whether both are the same value of the same version. */
export function isSameValue(a: Register | undefined, b: Register | undefined): boolean {
  return a?.version === b?.version && a?.value === b?.value;
}

/**
 * The total order of one register's values: newer version first; at equal versions the smaller stock, the smaller
 * price, and a special price over none win. Returns > 0 when `a` wins, < 0 when `b` does, 0 when equal.
 */
export function compareRegisters(name: RegisterName, a: Register, b: Register): number {
  if (a.version !== b.version) return a.version - b.version;
  if (a.value === b.value) return 0;
  if (name === 'specialPrice' && (a.value === null || b.value === null)) return a.value === null ? -1 : 1;
  return (b.value ?? 0) - (a.value ?? 0);
}

/** What was accepted last of a register, as far as it is known. */
export function lastAccepted(settled: SettledRegister | undefined): SentRegister | undefined {
  return settled?.outcome === 'rejected' ? settled.acceptedBefore : settled;
}
