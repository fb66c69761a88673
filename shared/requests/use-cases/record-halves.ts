import type { RequestArchive } from '../../batches/ports.ts';
import { halvesOf } from '../../marketplace/failures.ts';
import type { RequestRecord } from '../model.ts';
import type { RequestTable } from '../ports.ts';

export interface RecordHalvesPorts {
  readonly requests: Pick<RequestTable, 'get' | 'update'>;
  readonly archive: RequestArchive;
}

/** `recordId` of the halves of a request. */
export function halfIdsOf({ recordId }: Pick<RequestRecord, 'recordId'>): readonly [string, string] {
  return [`${recordId}.0`, `${recordId}.1`];
}

/**
 * Records both halves of a request that is split, unless they are there: all that they are follows from it, so that a
 * crash before this loses no row.
 */
export async function recordHalves(
  { requests, archive }: RecordHalvesPorts,
  record: RequestRecord,
): Promise<void> {
  const parts = halvesOf([...record.rows.entries()]);
  for (const [index, recordId] of halfIdsOf(record).entries()) {
    if ((await requests.get(recordId)) !== undefined) continue;
    const { note: _, senderId: __, signedAt: ___, halves: ____, appliedAt: _____, ...rest } = record;
    const part = parts[index] ?? [];
    const half: RequestRecord = {
      ...rest,
      recordId,
      requestKey: `${record.requestKey}.${index}`,
      rows: part.map(([, row]) => row),
      state: 'prepared',
      // Not 0: whose rows it has is settled, and it was begun.
      tries: 1,
    };
    const items = await archive.get(record.requestKey);
    if (items !== undefined) {
      await archive.put(
        half.requestKey,
        part.map(([position]) => items[position]),
      );
    }
    await requests.update(recordId, (known) => (known === undefined ? half : undefined));
  }
}
