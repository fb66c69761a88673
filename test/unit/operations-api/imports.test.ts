import { expect, test } from 'vitest';
import { importRoutes } from '../../../functions/operations-api/imports.ts';
import type { ImportRecord } from '../../../shared/imports/model.ts';
import { requestTo } from './request.ts';

/** A file under `full/` that is held, and its releases. */
function heldFile() {
  const record: ImportRecord = {
    importId: 'i-1',
    storeClientId: 's-1',
    bucket: 'imports',
    key: 'stock/s-1/full/a.csv',
    putAt: '2026-11-27T09:00:00.000Z',
    startedAt: '2026-11-27T09:00:00.000Z',
    full: {
      state: 'held',
      known: 3,
      missing: 2,
      zeroed: 0,
      spared: [],
      isSparedIncomplete: false,
      hold: { since: '2026-11-27T09:01:00.000Z', reason: 'two are missing' },
    },
  };
  const releases: string[] = [];
  const routes = importRoutes({
    imports: { get: async () => record },
    importQueue: { send: async ({ importId }: { importId: string }) => void releases.push(importId) },
  } as never);
  const key = 'POST /imports/{importId}/release';
  const route = routes.find((one) => one.key === key) ?? expect.unreachable();
  const release = (body: object) =>
    route.handle(requestTo(key, { pathParameters: { importId: 'i-1' }, body }));
  return { releases, release };
}

test.each([{ thousands: '.' }, { decimal: '.', thousands: '.' }])(
  'a release by %j is refused, and sets no stock to 0: it is about numbers',
  async (body) => {
    const { releases, release } = heldFile();
    await expect(release(body)).rejects.toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
    expect(releases).toEqual([]);
  },
);
