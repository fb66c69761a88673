import { setImmediate as afterOthers } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RequestRecord } from '../../../shared/requests/model.ts';
import { followPlan } from '../../../shared/trace/follow-command.ts';

test('the requests of a large command are read 20 at a time, in their order', async () => {
  const recordIds = Array.from({ length: 100 }, (_, index) => `r-${index}`);
  let reading = 0;
  let most = 0;
  const get = async (recordId: string): Promise<RequestRecord> => {
    most = Math.max(most, ++reading);
    await afterOthers();
    reading -= 1;
    const at = '2026-11-28T00:00:00.000Z';
    return {
      recordId,
      storeClientId: 's-1',
      kind: 'catalog-sync',
      commands: [],
      rows: [],
      state: 'prepared',
      tries: 0,
      uncertain: false,
      createdAt: at,
      touchedAt: at,
    };
  };
  const unread = () => Promise.reject(new Error('nothing else is read'));
  const requests = { get, getPlans: unread, getWaits: unread, aliasOf: unread };
  const followed = await followPlan({ requests, batches: { get: unread, linkedTo: unread } }, { recordIds });
  expect(followed.map(({ record }) => record.recordId)).toEqual(recordIds);
  expect(most).toBe(20);
});
