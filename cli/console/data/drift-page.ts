import * as z from 'zod';
import { type DriftEntry, driftKindSchema } from '../../../shared/drift/rules/view.ts';
import { driftPageSchema, type StoreDrift } from '../../drift/read-drift.ts';
import { commandOf, wordsOf } from '../../invocation.ts';
import type { ConsoleOptions } from '../console-options.ts';

export const driftPageQuery = z.object({
  /** Default: what differs, contested or not. */
  kind: driftKindSchema.optional(),
  limit: z.coerce.number().optional(),
  cursor: z.string().optional(),
});

/** The first entries of the drift of one store. Differences have the command that repairs them. */
export interface DriftPage {
  readonly verification: StoreDrift['verification'];
  readonly entries: readonly (DriftEntry & { readonly command?: string })[];
  /** After the last of them, if there may be more. */
  readonly cursor?: string;
}

export async function readDriftPage(
  options: ConsoleOptions,
  storeClientId: string,
  { ...query }: z.infer<typeof driftPageQuery>,
): Promise<DriftPage> {
  const path = ['stores', storeClientId, 'drift'];
  const { verification, entries, cursor } = await options.api.call(driftPageSchema, 'GET', path, { query });
  const repairs = (target: string) =>
    commandOf(options.target, wordsOf('drift repair', [target], ['--store', storeClientId]), options.program);
  return {
    verification,
    entries: entries.map((entry) =>
      'register' in entry ? { ...entry, command: repairs(entry.target) } : entry,
    ),
    ...(cursor !== undefined && { cursor }),
  };
}
