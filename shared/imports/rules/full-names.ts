import { type Listing, MISSING_TARGET_CODES, registerEntries } from '../../listings/model.ts';
import { nameOfTarget } from '../../listings/rules/target.ts';

/**
 * What the marketplace has said of a listing's product. `known`: it has shown or taken it. `refused`: it has refused it as missing.
 * `new`: nothing yet.
 */
export type ListingStanding = 'known' | 'refused' | 'new';

export function listingStandingOf({
  settled,
  live,
  createdAt,
}: Pick<Listing, 'settled' | 'live' | 'createdAt'>): ListingStanding {
  const answers = registerEntries(settled).map(([, answer]) => answer);
  const isTaken = answers.some(({ outcome, acceptedBefore }) => outcome === 'accepted' || acceptedBefore);
  const isShown = live !== undefined && live.missing !== true;
  if (isTaken || isShown || createdAt !== undefined) return 'known';
  if (answers.length === 0) return 'new';
  const isMissing = answers.some(({ code }) => code !== undefined && MISSING_TARGET_CODES.has(code));
  return isMissing ? 'refused' : 'known';
}

/** Most names of each list that are kept. */
const MOST_NAMES = 100;

/** The kept names and more names, up to the limit. */
export function withNames(kept: readonly string[] = [], more: readonly string[]): string[] {
  return [...kept, ...more.slice(0, Math.max(0, MOST_NAMES - kept.length))];
}

/** Most pairs that a reason names. */
const MOST_SHOWN = 5;

/** Pairs of names that differ only in leading zeros, case, white space or the form of a letter. */
export function likelyPairs(unknown: readonly string[], missing: readonly string[]): [string, string][] {
  const byForm = new Map(missing.map((target) => [plainForm(target), target]));
  return unknown.flatMap((target): [string, string][] => {
    const other = byForm.get(plainForm(target));
    return other === undefined ? [] : [[nameIn(target), nameIn(other)]];
  });
}

function plainForm(target: string): string {
  return nameIn(target)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{Cf}]/gu, '')
    .replaceAll(/(?<!\d)0+(?=\d)/g, '');
}

/** The first names of a list, in words. */
export function shownNames(targets: readonly string[]): string {
  const shown = targets.slice(0, MOST_SHOWN).map(nameIn).join(', ');
  return targets.length > MOST_SHOWN ? `${shown}, …` : shown;
}

export function shownPairs(pairs: readonly (readonly [string, string])[]): string {
  const shown = pairs.slice(0, MOST_SHOWN).map(([one, other]) => `${one} = ${other}`);
  return `${shown.join(', ')}${pairs.length > MOST_SHOWN ? ', …' : ''}`;
}

function nameIn(target: string): string {
  return target.slice(nameOfTarget(target).length + 1);
}
