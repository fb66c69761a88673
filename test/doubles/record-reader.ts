import type * as z from 'zod';
import { recordReader } from '../../shared/aws/records.ts';

/** A reader that throws as the tables' readers do, but returns a valid record itself and not a parsed copy. */
export function validatingReader<T>(tableName: string, keyName: string, schema: z.ZodType<T>) {
  return recordReader(tableName, keyName, (item) => {
    schema.parse(item);
    return item as T;
  });
}
