import * as z from 'zod';
import { arn } from '../../template/account.ts';

/** The name of a bus, which is given by name or ARN. Absent: the default bus. */
export const busName = z
  .string()
  .default('default')
  .transform((reference) => reference.split('/').at(-1) ?? reference);

export function busArn(name: string): string {
  return arn('events', `event-bus/${name}`);
}
