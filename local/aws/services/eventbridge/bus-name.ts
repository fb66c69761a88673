import * as z from 'zod';
import { arn } from '../../template/account.ts';

/** The name of a bus that is given by name or ARN, or not at all for the default one. */
export const busName = z
  .string()
  .default('default')
  .transform((reference) => reference.split('/').at(-1) ?? reference);

export function busArn(name: string): string {
  return arn('events', `event-bus/${name}`);
}
