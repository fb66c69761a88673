import { z } from 'zod';
import {
  type DriftEntry,
  driftEntrySchema,
  driftKindSchema,
  verificationViewSchema,
} from '../../../shared/drift/rules/view.ts';
import { shellWord } from '../../invocation.ts';
import type { ConsoleOptions } from '../console-options.ts';
import { commandOf } from './command-of.ts';

export const driftPageQuery = z.object({
  /** Default: what differs, contested or not. */
  kind: driftKindSchema.optional(),
  limit: z.coerce.number().optional(),
});

const answerSchema = z.object({
  verification: verificationViewSchema,
  entries: z.array(driftEntrySchema),
  cursor: z.string().optional(),
});

/** The first entries of the drift of one store. Differences have the command that repairs them. */
export interface DriftPage {
  readonly verification: z.infer<typeof verificationViewSchema>;
  readonly entries: readonly (DriftEntry & { readonly command?: string })[];
  readonly hasMore: boolean;
}

export async function readDriftPage(
  options: ConsoleOptions,
  storeClientId: string,
  { ...query }: z.infer<typeof driftPageQuery>,
): Promise<DriftPage> {
  const path = ['stores', storeClientId, 'drift'];
  const { verification, entries, cursor } = await options.api.call(answerSchema, 'GET', path, { query });
  const repairs = (target: string) =>
    commandOf(options, `drift repair ${shellWord(target)} --store ${shellWord(storeClientId)}`);
  return {
    verification,
    entries: entries.map((entry) =>
      'register' in entry ? { ...entry, command: repairs(entry.target) } : entry,
    ),
    hasMore: cursor !== undefined,
  };
}
