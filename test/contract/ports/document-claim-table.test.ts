import { describe, expect, test } from 'vitest';
import { createDocumentClaimTable } from '../../../shared/aws/document-claim-table.ts';
import type { DocumentClaim } from '../../../shared/documents/model.ts';
import type { DocumentClaimTable } from '../../../shared/documents/ports.ts';
import { claimed, givenBack } from '../../../shared/documents/rules/claim.ts';
import { inMemoryDocumentClaimTable } from '../../doubles/in-memory-document-claim-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId } from './support.ts';
import { versionedTableContract } from './versioned-table-contract.ts';

const local = useLocalTables();
const now = 1_795_257_644_000;

describe.each<[string, () => DocumentClaimTable]>([
  ['in memory', () => inMemoryDocumentClaimTable()],
  ['on DynamoDB', () => createDocumentClaimTable(local().client, local().tableName('Commands'))],
])('DocumentClaimTable %s', (_, create) => {
  versionedTableContract<DocumentClaim>(() => {
    const claims = create();
    const key = freshId('document');
    return {
      update: (change) => claims.update(key, change),
      numbered: (until) => ({ holder: 'h-1', until }),
      numberOf: ({ until }) => until,
    };
  });

  test('of several who claim a document at the same time one has it', async () => {
    const claims = create();
    const key = freshId('document');
    const holders = ['h-1', 'h-2', 'h-3'];
    const seen = await Promise.all(
      holders.map((holder) => claims.update(key, (current) => claimed(current, holder, now))),
    );
    expect(new Set(seen.map((claim) => claim?.holder)).size).toBe(1);
  });

  test('a claim that was given back is free', async () => {
    const claims = create();
    const key = freshId('document');
    await claims.update(key, (current) => claimed(current, 'h-1', now));
    await claims.update(key, (current) => givenBack(current, 'h-1'));
    expect(await claims.update(key, (current) => claimed(current, 'h-2', now))).toMatchObject({
      holder: 'h-2',
    });
  });
});
