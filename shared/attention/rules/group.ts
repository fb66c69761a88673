import { type Attention, type AttentionGroup, type AttentionKind, attentionKindSchema } from '../model.ts';

/** Most reasons that a group shows. */
const MOST_REASONS = 5;
/** Kinds with one entry per store. Entries of several stores form one group. */
const ONE_PER_STORE: ReadonlySet<AttentionKind> = new Set([
  'store-suspended',
  'prices-held',
  'store-unbound',
]);

/** The most harmful first; of one kind, the oldest first. */
export function byHarm(one: Attention, other: Attention): number {
  const harm = harmOf(one.kind) - harmOf(other.kind);
  return harm === 0 ? Date.parse(one.since) - Date.parse(other.since) : harm;
}

function harmOf(kind: AttentionKind): number {
  return attentionKindSchema.options.indexOf(kind);
}

/**
 * The groups of entries that are alike, in the order of their first entries.
 *
 * @param sorted by {@link byHarm}
 * @param more kinds with further entries
 */
export function groupsOf(sorted: readonly Attention[], more: readonly AttentionKind[]): AttentionGroup[] {
  return [...Map.groupBy(sorted, keyOf).values()].flatMap((entries) => groupOf(entries, more) ?? []);
}

function keyOf({ kind, storeClientId, remedies }: Attention): string {
  const store = ONE_PER_STORE.has(kind) ? undefined : storeClientId;
  return JSON.stringify([kind, store, remedies.map(({ name, text }) => [name, text])]);
}

function groupOf(entries: readonly Attention[], more: readonly AttentionKind[]): AttentionGroup | undefined {
  const [first] = entries;
  if (first === undefined) return undefined;
  const { kind, severity, storeClientId, since, lookAt, remedies } = first;
  const isOfOneStore =
    storeClientId !== undefined && entries.every((one) => one.storeClientId === storeClientId);
  return {
    kind,
    severity,
    ...(isOfOneStore && { storeClientId }),
    ...(lookAt !== undefined && { lookAt }),
    count: entries.length,
    hasMore: more.includes(kind),
    since,
    why: entries.slice(0, MOST_REASONS).map((one) => reasonOf(one, isOfOneStore)),
    remedies: remedies.map(({ name, text }, index) => ({
      name,
      text,
      calls: entries.flatMap((one) => one.remedies[index]?.call ?? []),
    })),
  };
}

function reasonOf({ storeClientId, why }: Attention, isOfOneStore: boolean): string {
  return isOfOneStore || storeClientId === undefined ? why : `${storeClientId}: ${why}`;
}
