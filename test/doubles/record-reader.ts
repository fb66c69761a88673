import type { z } from 'zod';
import { namingRecord } from '../../shared/aws/read-record.ts';

/** Reads records as the tables do: throws on one that breaks its schema; returns any other as it is, frozen. */
export function recordReader<T>(tableName: string, keyName: string, schema: z.ZodType<T>) {
  return namingRecord(tableName, keyName, (item) => {
    schema.parse(item);
    return item as T;
  });
}
