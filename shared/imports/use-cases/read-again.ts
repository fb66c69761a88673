import type { Notation } from '../../stores/notation.ts';
import type { AnnouncedFile, ImportTable } from '../ports.ts';

/**
 * Ends the hold of a file whose numbers were ambiguous, so that it is read a second time. That reading sends only the rows that the
 * first one did not. A repeated call changes nothing.
 *
 * @returns the file to read; `undefined` for an import that is not to be read again
 */
export async function beginSecondReading(
  imports: Pick<ImportTable, 'update'>,
  importId: string,
  notation: Notation,
): Promise<AnnouncedFile | undefined> {
  const record = await imports.update(importId, (current) => {
    if (current?.numbers?.hold === undefined || current.reading === undefined) return undefined;
    const { reading, followed: _, ...file } = current;
    const { sent, commands } = reading;
    return { ...file, numbers: { notation, sentBefore: { sent, commands } } };
  });
  if (!record?.numbers?.notation || record.reading !== undefined) return undefined;
  const { announced, bucket, key, putAt } = record;
  return announced && { ...announced, bucket, key, time: putAt };
}
