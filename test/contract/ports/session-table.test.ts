import { beforeEach, describe, expect, test } from 'vitest';
import { createSessionTable } from '../../../shared/aws/session-table.ts';
import type { OnboardSession } from '../../../shared/stores/onboarding.ts';
import type { OnboardSessionTable } from '../../../shared/stores/ports.ts';
import { inMemorySessionTable } from '../../doubles/in-memory-session-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId } from './support.ts';
import { versionedTableContract } from './versioned-table-contract.ts';

const local = useLocalTables();

describe.each<[string, () => OnboardSessionTable]>([
  ['in memory', () => inMemorySessionTable()],
  ['on DynamoDB', () => createSessionTable(local().client, local().tableName('Sessions'))],
])('OnboardSessionTable %s', (_, create) => {
  let sessions: OnboardSessionTable;
  let session: OnboardSession;

  beforeEach(async () => {
    sessions = create();
    session = { nonce: freshId('nonce'), sid: 'sid-1', validUntil: 1_795_000_000_000, state: 'open' };
    await sessions.update(session.nonce, () => session);
  });

  versionedTableContract<OnboardSession>(() => {
    const nonce = freshId('nonce');
    return {
      update: (change) => sessions.update(nonce, change),
      numbered: (number) => ({ ...session, nonce, sid: String(number) }),
      numberOf: ({ sid }) => Number(sid),
    };
  });

  const read = (nonce: string) => sessions.update(nonce, () => undefined);

  test('update stores a session and returns it whole', async () => {
    expect(await read(session.nonce)).toEqual(session);
  });

  test('take has one winner among many at once', async () => {
    let taken = 0;
    const take = () =>
      sessions.update(session.nonce, (current) =>
        current?.state === 'open' ? { ...current, state: 'taken', sid: `sid-${taken++}` } : undefined,
      );
    const results = await Promise.all([take(), take(), take()]);
    expect(new Set(results.map((result) => result?.sid)).size).toBe(1);
    expect(await read(session.nonce)).toMatchObject({ state: 'taken' });
  });
});
