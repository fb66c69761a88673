import type { VersionedTable } from '../../collections/versioned-table.ts';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import type { ReadingPlaces } from '../model.ts';

/** At most this many files of one store are read at a time: half of the importer's invocations. */
export const MOST_READ_OF_STORE = 2;

export interface ReadingPlacePorts {
  readonly readingPlaces: VersionedTable<ReadingPlaces, [storeClientId: string]>;
  readonly clock: Pick<Clock, 'now'>;
}

/** An invocation that reads a file until `until` (epoch ms). */
interface Reader {
  readonly storeClientId: string;
  readonly importId: string;
  readonly until: EpochMs;
}

/** Takes a place for a file; `false` if other files of the store have all places, or if another invocation reads the file. */
export async function takePlace(
  { readingPlaces, clock }: ReadingPlacePorts,
  { storeClientId, importId, until }: Reader,
): Promise<boolean> {
  let isTaken = false;
  const now = clock.now();
  await readingPlaces.update(storeClientId, (current) => {
    const places = (current?.places ?? []).filter((place) => place.until > now);
    isTaken = places.length < MOST_READ_OF_STORE && places.every((place) => place.importId !== importId);
    return isTaken ? { storeClientId, places: [...places, { importId, until }] } : undefined;
  });
  return isTaken;
}

/** Gives the place back before `until`. */
export async function leavePlace(
  { readingPlaces }: ReadingPlacePorts,
  { storeClientId, importId, until }: Reader,
): Promise<void> {
  await readingPlaces.update(storeClientId, (current) => {
    const places = current?.places.filter((one) => one.importId !== importId || one.until !== until);
    return places && { storeClientId, places };
  });
}
