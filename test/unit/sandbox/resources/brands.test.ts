import { describe, expect, it } from 'vitest';
import type { Json } from '../partner.ts';
import { useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();

/** The search as anyone can make it: without headers. */
async function search(query: string): Promise<{ status: number; json: Json }> {
  const response = await fetch(`${sandbox.url}/api/v1/partner/reference/brands${query}`);
  return { status: response.status, json: await response.json() };
}

describe('brands (§4.20)', () => {
  it('are answered with pagination in meta, and without a requestId', async () => {
    const { status, json } = await search('?page=2&limit=7');
    expect(status).toBe(200);
    expect(Object.keys(json).sort()).toEqual(['data', 'message', 'meta', 'success']);
    expect(json.meta).toEqual({ page: 2, limit: 7, total: 60, totalPages: 9 });
    expect(json.data).toHaveLength(7);
    expect(json.data[0]).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: expect.any(String) });
  });

  it('are searched by keyword', async () => {
    const { json } = await search('?q=garuda&limit=100');
    expect(json.data.map(({ name }: { name: string }) => name)).toEqual(
      ['Active', 'Home', 'Kids', 'Living', 'Sport', 'Tech'].map((line) => `Garuda ${line}`),
    );
  });

  it('are VAL_001 for a keyword of one character', async () => {
    const { status, json } = await search('?q=g');
    expect([status, json.error.code]).toEqual([400, 'VAL_001']);
    expect(json.error.details.context.validationErrors).toEqual({ q: expect.any(String) });
  });
});
