import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { banner } from '../../../../sandbox/page/banner.ts';
import type { Json } from '../partner.ts';
import { useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();
const get = (path: string) => fetch(`${sandbox.url}/sandbox${path}`);
const json = async (path: string): Promise<Json> => (await get(`/page/${path}`)).json();

describe('the page for people', () => {
  it('runs no script and asks no server but its own', async () => {
    const response = await get('');
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(await response.text()).not.toMatch(
      /<script(?![^>]* src="\/sandbox\/page\/)|<style| on\w+=|https?:/,
    );
  });

  it('has each file that it names', async () => {
    const html = await (await get('')).text();
    const files = [...html.matchAll(/(?:src|href)="\/sandbox(\/page\/[^"]+)"/g)].map(
      ([, path]) => path ?? '',
    );
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) expect((await get(file)).status).toBe(200);
    expect((await get('/page/../../index.ts')).status).toBe(404);
    expect((await get('/page/..%2froutes.ts')).status).toBe(404);
  });

  it('lists the newest 200 of each kind, and counts all', async () => {
    const calls = Array.from({ length: 203 }, () => sandbox.call('GET /partner/reference/brands'));
    await Promise.all(calls);
    const { requests, counts } = await json('state');
    expect([requests.length, requests[0].sequence, counts.requests]).toEqual([200, 203, 203]);
    expect((await json('requests/203')).contents).toMatchObject({ head: expect.any(String) });
    expect((await json('requests/1')).contents).toBeNull();
  });

  it('shows the first 64 KiB of a long body', async () => {
    await sandbox.call('POST /partner/stores/products/deletions', { body: { ids: ['a'.repeat(100_000)] } });
    const { contents } = await json('requests/1');
    expect(contents.body).toMatch(/… the first 64 KiB of 100012 bytes$/);
    expect(contents.body.length).toBeLessThan(66_000);
  });

  it('shows the broken body that a fault has made of an answer', async () => {
    await sandbox.control('POST /faults', { fault: { malformed: true } });
    const { bytes } = await sandbox.call('GET /partner/stores/warehouses');
    expect((await json('requests/1')).contents.answer).toBe(bytes.toString());
  });

  it.each(['requests/1', 'requests/x', 'batches/x', 'orders/x', 'stores/x', 'products/x'])(
    'says null for what is not there: %s',
    async (path) => expect(await json(path)).toBeNull(),
  );

  it('shows no store token that a caller has sent', async () => {
    await sandbox.call('GET /partner/stores/warehouses', { token: 'very-secret', secretKey: 'wrong' });
    await sandbox.call('GET /partner/stores/warehouses', { token: 'very-secret', timestamp: 1 });
    for (const path of ['state', 'requests/1', 'requests/2']) {
      expect(JSON.stringify(await json(path))).not.toContain('very-secret');
    }
  });
});

describe('the banner', () => {
  it('names every fixture', () => {
    const text = banner(sandbox.url);
    for (const name of [
      'sandbox-partner-secret',
      'other-partner',
      'token-store-2wh',
      'store-blocked',
      ' 1 warehouse,',
    ]) {
      expect(text).toContain(name);
    }
  });

  it('has a signed call that works as printed', async () => {
    const text = banner(sandbox.url);
    const command = text.slice(text.indexOf('TIMESTAMP='));
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: [{ clientId: 'wh-1' }] });
  });
});
