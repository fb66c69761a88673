import { AT_A_TIME, mapConcurrently } from '../../collections/for-each-concurrently.ts';
import type { Rejection, RejectionTable } from '../../rejections/model.ts';
import { type ChangeEventRecord, type ChangeEventTable, isCutShort } from '../change-events.ts';

export interface RejectedRowsPorts {
  readonly changeEvents: Pick<ChangeEventTable, 'get'>;
  readonly rejections: Pick<RejectionTable, 'list'>;
}

/** At most this many rejections of one product are looked at, the newest first. */
const MOST_OF_PRODUCT = 200;

/**
 * The rows of a stock or price event that the marketplace rejected, by the ID of the event. A sent row may have values of several
 * events, so its rejection has no event ID. It is found by its product and the version of the event.
 *
 * @param storeClientId only in this store. Default: all.
 * @returns `isCut`: whether rows may be missing, as the event has more products than its record keeps.
 */
export async function rejectedRowsOf(
  ports: RejectedRowsPorts,
  eventId: string,
  storeClientId?: string,
): Promise<{ rows: Rejection[]; isCut: boolean }> {
  const events = await ports.changeEvents.get(eventId);
  const own = events.filter((event) => storeClientId === undefined || event.storeClientId === storeClientId);
  const rows: Rejection[] = [];
  for (const event of own) rows.push(...(await rejectedRowsIn(ports, event, event.targets)));
  return { rows, isCut: own.some(isCutShort) };
}

/** The rejected rows of an event for some of its products: one query for each product. */
export async function rejectedRowsIn(
  { rejections }: Pick<RejectedRowsPorts, 'rejections'>,
  { storeClientId, version }: Pick<ChangeEventRecord, 'storeClientId' | 'version'>,
  targets: readonly string[],
): Promise<Rejection[]> {
  const found = await mapConcurrently(targets, AT_A_TIME, async (value) => {
    const about = { name: 'target', value } as const;
    const page = { about, newestFirst: true, limit: MOST_OF_PRODUCT };
    return (await rejections.list(storeClientId, page)).rejections;
  });
  return found.flat().filter(({ versions }) => versions?.includes(version));
}
