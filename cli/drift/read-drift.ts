import * as z from 'zod';
import {
  type DriftEntry,
  type DriftKind,
  driftEntrySchema,
  verificationViewSchema,
} from '../../shared/drift/rules/view.ts';
import type { ApiClient } from '../clients/api-client.ts';
import { pagesOf } from '../clients/pages.ts';

/** What the listing-verifier found in a store. */
export interface StoreDrift {
  readonly storeClientId: string;
  readonly verification: z.infer<typeof verificationViewSchema>;
  readonly entries: readonly DriftEntry[];
}

/** A register whose live value is not the wanted one. */
export type OpenDifference = Extract<DriftEntry, { register: string }>;

/** A page of `GET /stores/{storeClientId}/drift`. */
export const driftPageSchema = z.object({
  verification: verificationViewSchema,
  entries: z.array(driftEntrySchema),
  cursor: z.string().optional(),
});

/** Reads all pages; without `kind` the entries are the differences, contested ones included. */
export async function readDrift(
  api: ApiClient,
  storeClientId: string,
  kind?: DriftKind,
): Promise<StoreDrift> {
  const entries: DriftEntry[] = [];
  let verification: StoreDrift['verification'] = {};
  for await (const page of pagesOf(api, ['stores', storeClientId, 'drift'], driftPageSchema, { kind })) {
    verification = page.verification;
    entries.push(...page.entries);
  }
  return { storeClientId, verification, entries };
}

/** The differences of a store, contested ones included. */
export async function readDifferences(api: ApiClient, storeClientId: string): Promise<OpenDifference[]> {
  const { entries } = await readDrift(api, storeClientId);
  return entries.filter((entry) => 'register' in entry);
}
