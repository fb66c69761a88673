import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { eachPage } from '../collections/page-request.ts';
import { type Verification, verificationSchema } from '../drift/model.ts';
import type { VerificationTable } from '../drift/ports.ts';
import { scanPage } from './query.ts';
import { versionedItems } from './versioned-items.ts';

/** The Verifications table: one small item per store, so that one cheap scan finds all. */
export function createVerificationTable(
  client: DynamoDBDocumentClient,
  tableName: string,
): VerificationTable {
  const table = { client, tableName };
  const items = versionedItems<Verification>({ ...table, read: (item) => verificationSchema.parse(item) });
  return {
    get: (storeClientId) => items.get({ storeClientId }),
    update: (storeClientId, change) => items.update({ storeClientId }, change),

    all: async () => {
      const pages = await Array.fromAsync(eachPage((request) => scanPage(table, {}, request)));
      const all = pages.flatMap((page) => page.items.map((item) => verificationSchema.parse(item)));
      return new Map(all.map((verification) => [verification.storeClientId, verification]));
    },
  };
}
