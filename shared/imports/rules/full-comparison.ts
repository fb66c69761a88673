import type { EpochMs } from '../../time/times.ts';
import type { FullFile, ImportRecord } from '../model.ts';
import type { StockPage } from '../ports.ts';
import { likelyPairs, shownNames, shownPairs, withNames } from './full-names.ts';

/** The targets of listings that neither a row nor a newer change names. A product created after the file, without stock, is left out. */
export function missingOf(
  { version, spared }: FullFile,
  listings: StockPage['listings'],
  { putAt }: Pick<ImportRecord, 'putAt'>,
): string[] {
  const known = new Set(spared);
  const time = version?.kind === 'time' ? version.value : Date.parse(putAt);
  return listings
    .filter(({ versionKind, newest, knownAt = time }) =>
      newest === undefined ? knownAt <= time : versionKind !== version?.kind || newest < version.value,
    )
    .map(({ target }) => target)
    .filter((target) => !known.has(target));
}

/** Adds a page of listings: those that no row names, and those that rows name but the marketplace may not have. */
export function compare(
  full: FullFile,
  listings: StockPage['listings'],
  missing: readonly string[],
): FullFile {
  const named = listings.filter(
    ({ versionKind, newest }) => versionKind === full.version?.kind && newest === full.version.value,
  );
  const refused = named.filter(({ standing }) => standing === 'refused');
  const unanswered = named.filter(({ standing }) => standing === 'new');
  const had = new Set(listings.flatMap(({ target, standing }) => (standing === 'refused' ? [] : [target])));
  const { spared, sparedUnknown = [...spared.keys()] } = full;
  return {
    ...full,
    sparedUnknown: sparedUnknown.filter((position) => !had.has(spared[position] ?? '')),
    missing: full.missing + missing.length,
    compared: (full.compared ?? 0) + listings.length,
    refused: (full.refused ?? 0) + refused.length,
    unanswered: (full.unanswered ?? 0) + unanswered.length,
    missingNames: withNames(full.missingNames, missing),
    unknownNames: withNames(
      full.unknownNames,
      [...refused, ...unanswered].map(({ target }) => target),
    ),
  };
}

/** The state after the comparison: `ended`, `zeroing` or `held`. `now`: epoch ms. */
export function decided(compared: FullFile, now: EpochMs): FullFile {
  const { spared, sparedUnknown = [], unknownNames = [] } = compared;
  const strangers = sparedUnknown.flatMap((position) => spared[position] ?? []);
  const full = { ...compared, unknownNames: withNames(withNames([], strangers), unknownNames) };
  const reason = holdReason(full, strangers.length);
  if (full.missing === 0) return { ...full, state: 'ended' };
  if (reason === undefined) return { ...full, state: 'zeroing' };
  return { ...full, state: 'held', hold: { since: new Date(now).toISOString(), reason } };
}

/** @param strangers rejected rows that name no listing of the store */
function holdReason(full: FullFile, strangers: number): string | undefined {
  const { missing, known, isSparedIncomplete } = full;
  if (2 * missing > known) {
    return `the file does not name ${missing} of the ${known} listings that the store had: their stock would become 0`;
  }
  const strange = strangeNames(full, strangers);
  if (strange !== undefined) return strange;
  return isSparedIncomplete
    ? `rejected rows may name some of the ${missing} listings that no other row names: their stock would become 0`
    : undefined;
}

/**
 * Why a file seems to write product names in another way than the store: it names products that the store does not have, and leaves out
 * products that it has. Products without an answer of the marketplace count only as far as the file has added listings.
 */
function strangeNames(full: FullFile, strangers: number): string | undefined {
  const {
    missing,
    known,
    compared = 0,
    refused = 0,
    unanswered = 0,
    unknownNames = [],
    missingNames = [],
  } = full;
  const unknown = strangers + refused + Math.min(unanswered, Math.max(0, compared - known));
  if (unknown === 0) return undefined;
  const pairs = likelyPairs(unknownNames, missingNames);
  const likely = pairs.length === 0 ? '' : `; likely the same: ${shownPairs(pairs)}`;
  return `the file names ${unknown} products that the store does not have (${shownNames(unknownNames)}) and leaves out ${missing} that it has (${shownNames(missingNames)}), whose stock would become 0${likely}`;
}
