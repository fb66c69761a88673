import type { RegisterName } from '../../../shared/listings/model.ts';
import type { InjectedDrift } from '../world/drift/drifts.ts';
import type { Verifier } from '../world/drift/verifier.ts';

type FindingKind = 'listing.drifted' | 'listing.repaired' | 'listing.contested' | 'listing.missing';

/** An event of the verifier about one listing. */
export interface ListingFinding {
  readonly kind: FindingKind;
  /** Epoch ms. */
  readonly at: number;
  readonly storeClientId: string;
  readonly target: string;
  readonly registers: readonly RegisterName[];
  /** By register: ISO 8601. */
  readonly since: Readonly<Record<string, string>>;
  /** By register. */
  readonly wanted: Readonly<Record<string, number | null>>;
}

/** The events of these kinds, in the order of their publication. */
export function findingsOf(
  { findings }: Pick<Verifier, 'findings'>,
  ...kinds: FindingKind[]
): ListingFinding[] {
  return findings.flatMap(({ at, event: { detailType, detail } }) => {
    const kind = kinds.find((one) => one === detailType);
    if (kind === undefined || !('target' in detail) || detail.storeClientId === undefined) return [];
    const found = 'registers' in detail ? detail.registers : [];
    return [
      {
        kind,
        at,
        storeClientId: detail.storeClientId,
        target: String(detail.target),
        registers: found.map(({ register }) => register as RegisterName),
        since: Object.fromEntries(found.map(({ register, since }) => [register, since])),
        wanted: Object.fromEntries(found.map(({ register, wanted }) => [register, wanted])),
      },
    ];
  });
}

/** What is wrong about the reports of a contest that a person ended `ended` times, and that began again each time. */
export function contestFault(
  verifier: Pick<Verifier, 'findings'>,
  { storeClientId, target, register, place }: InjectedDrift,
  ended: number,
): string | undefined {
  const kinds = findingsOf(verifier, 'listing.drifted', 'listing.repaired', 'listing.contested')
    .filter((one) => one.storeClientId === storeClientId && one.target === target)
    .filter(({ registers }) => registers.includes(register))
    .map(({ kind }) => kind);
  const contests = kinds.filter((kind) => kind === 'listing.contested').length;
  if (contests <= ended) return `gave way at ${place} without a word`;
  return kinds.at(-1) === 'listing.contested' ? undefined : `fights on for ${place}`;
}
