import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ApiClient } from '../../../cli/clients/api-client.ts';
import { exportTo } from '../../../cli/commands/export.ts';

const at = '2026-11-27T08:00:00.000Z';
const store = (storeClientId: string) => ({
  storeClientId,
  state: 'connected',
  names: { products: 'sku', orders: 'orderId' },
  connectedAt: at,
  updatedAt: at,
});
const rejection = (storeClientId: string) => ({
  storeClientId,
  rejectionId: `${at}#e-1`,
  rejectedAt: at,
  code: 'EVENT_INVALID',
  message: 'no',
});

/** Lists of two pages of one entry each, by path. */
const lists: Readonly<Record<string, readonly object[]>> = {
  stores: [store('s-1'), { ...store('s-2'), storeToken: 'secret-token' }],
  'stores/s-1/orders': [{ storeClientId: 's-1', orderKey: 'orderId:o-1', orderId: 'o-1' }],
  'stores/s-2/rejections': [rejection('s-2')],
  'stores/-/rejections': [rejection('-')],
};

const api: ApiClient = {
  call: async (schema, _, path, { query = {} } = {}) => {
    const list = lists[path.join('/')] ?? [];
    const index = Number(query.cursor ?? 0);
    const next = index + 1 < list.length ? { cursor: String(index + 1) } : {};
    return schema.parse({ [path.at(-1) ?? '']: list.slice(index, index + 1), ...next });
  },
  text: async () => '',
};

test('all pages of each list are exported as JSON lines with their schema, without tokens', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'export-'));
  try {
    expect(await exportTo(api, folder)).toEqual({
      stores: 2,
      listings: 0,
      batches: 0,
      orders: 1,
      rejections: 2,
    });
    const text = (name: string) => readFile(join(folder, name), 'utf8');
    const linesOf = async (name: string) =>
      (await text(`${name}.ndjson`))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    expect(await linesOf('stores')).toEqual([store('s-1'), store('s-2')]);
    expect(await linesOf('rejections')).toEqual([rejection('s-2'), rejection('-')]);
    expect(await text('stores.ndjson')).not.toContain('secret-token');
    expect(JSON.parse(await text('orders.schema.json'))).toMatchObject({ type: 'object' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
