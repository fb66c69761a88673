import { setApart } from '../../errors/set-apart.ts';
import {
  type GuardPricesPorts,
  type GuardWindows,
  guardPrices,
} from '../../guards/use-cases/guard-prices.ts';
import type { Rejection } from '../../rejections/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import { unknownStore } from '../../stores/rules/unknown-store.ts';
import { type ChangeMessage, type ChangeRow, readChangeMessage, rejectionOf } from '../rules/read-changes.ts';
import type { ChangesTally } from './changes-tally.ts';

export interface AdmitChangesPorts extends GuardPricesPorts {
  readonly stores: Pick<StoreTable, 'get'>;
}

/** Rows that may be merged, with the windows of the price guards that have looked at them. */
export interface AdmittedChanges {
  readonly rows: readonly ChangeRow[];
  readonly windows: GuardWindows;
}

/**
 * Reads messages, and has the price guard of each store look at its rows; those of an unknown store are rejected. A
 * message that can't be read, and all of a store that can't be looked at, fail by themselves in the tally.
 */
export async function admitChanges(
  ports: AdmitChangesPorts,
  messages: readonly ChangeMessage[],
  tally: ChangesTally,
): Promise<AdmittedChanges> {
  const read = await readAll(messages, tally);
  const rows: ChangeRow[] = [];
  const windows = new Map<string, number>();
  for (const [storeClientId, own] of Map.groupBy(read, ({ change }) => change.storeClientId)) {
    const onFailure = (error: unknown) => tally.fail([{ rows: own }], error);
    await setApart(onFailure, async () => {
      if ((await ports.stores.get(storeClientId)) === undefined) {
        return tally.reject({ rows: own }, own.map(storeUnknown));
      }
      const changes = own.map(({ change }) => change);
      for (const [guarded, startedAt] of await guardPrices(ports, changes)) windows.set(guarded, startedAt);
      rows.push(...own);
    });
  }
  return { rows, windows };
}

async function readAll(messages: readonly ChangeMessage[], tally: ChangesTally): Promise<ChangeRow[]> {
  const rows: ChangeRow[] = [];
  for (const message of messages) {
    const own = { rows: [{ message }] };
    const onFailure = (error: unknown) => tally.fail([own], error);
    const reading = await setApart(onFailure, async () => readChangeMessage(message));
    if (reading === undefined) continue;
    tally.reject(own, reading.rejections);
    rows.push(...reading.rows);
  }
  return rows;
}

function storeUnknown(row: ChangeRow): Rejection {
  return rejectionOf(row, unknownStore(row.change.storeClientId));
}
