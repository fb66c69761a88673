import { z } from 'zod';
import { arn } from '../../template/account.ts';

/** A bus by its name, however it is referred to: by name or ARN, or as the default one by nothing. */
export const busName = z
  .string()
  .default('default')
  .transform((reference) => reference.split('/').at(-1) ?? reference);

export function busArn(name: string): string {
  return arn('events', `event-bus/${name}`);
}
