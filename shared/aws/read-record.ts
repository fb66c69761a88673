import { z } from 'zod';
import { ConnectorError } from '../errors/connector-error.ts';

type ReadItem<T> = (item: Record<string, unknown>) => T;

/**
 * Makes `read` fail with an error for the log. The error names the item's table, its key, and each invalid field with its
 * fault. It contains no other value of the item.
 *
 * @param keyName attribute that is the table's key
 * @returns a read that throws ConnectorError `RECORD_UNREADABLE`
 */
export function namingRecord<T>(tableName: string, keyName: string, read: ReadItem<T>): ReadItem<T> {
  return (item) => {
    try {
      return read(item);
    } catch (error) {
      const key = JSON.stringify({ [keyName]: item[keyName] });
      // No cause: a parser's word on what was packed quotes it.
      throw new ConnectorError(`${tableName} ${key} can not be read: ${faultOf(error)}`, {
        code: 'RECORD_UNREADABLE',
      });
    }
  };
}

/** Reads the items of a page one by one, so that one that can not be read hides none of the others. */
export function readEach<T>(
  items: readonly Record<string, unknown>[],
  read: ReadItem<T>,
): { readable: T[]; unreadable: unknown[] } {
  const readable: T[] = [];
  const unreadable: unknown[] = [];
  for (const item of items) {
    try {
      readable.push(read(item));
    } catch (error) {
      unreadable.push(error);
    }
  }
  return { readable, unreadable };
}

function faultOf(error: unknown): string {
  const [issue] = error instanceof z.ZodError ? error.issues : [];
  return issue === undefined ? 'its packed part' : `${z.core.toDotPath(issue.path)}: ${issue.message}`;
}
