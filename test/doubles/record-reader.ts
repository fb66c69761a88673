import type { z } from 'zod';
import { namingRecord } from '../../shared/aws/read-record.ts';

/** Reads records as the tables do: fails at one that breaks its schema; any other comes back as it is, frozen. */
export function recordReader<T>(tableName: string, keyName: string, schema: z.ZodType<T>) {
  return namingRecord(tableName, keyName, (item) => {
    schema.parse(item);
    return item as T;
  });
}
