import { z } from 'zod';
import { toDotPath } from 'zod/v4/core';
import { ConnectorError } from '../errors/connector-error.ts';

type ReadItem<T> = (item: Record<string, unknown>) => T;

/**
 * A reader whose errors can be logged: ConnectorError `RECORD_UNREADABLE` names the item's table, its key and the first
 * invalid field, and quotes no other value of the item.
 *
 * @param keyName the table's key attribute
 */
export function recordReader<T>(tableName: string, keyName: string, read: ReadItem<T>): ReadItem<T> {
  return (item) => {
    try {
      return read(item);
    } catch (error) {
      const key = JSON.stringify({ [keyName]: item[keyName] });
      // No cause: a JSON parser's error quotes the text.
      throw new ConnectorError(`${tableName} ${key} can not be read: ${faultOf(error)}`, {
        code: 'RECORD_UNREADABLE',
      });
    }
  };
}

/** Reads items one by one, so that an unreadable one does not hide the others. */
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
  return issue === undefined ? 'its packed part' : `${toDotPath(issue.path)}: ${issue.message}`;
}
