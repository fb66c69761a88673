import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { withOutputsFile } from '../../run/outputs-file.ts';

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'outputs-'));
  file = join(directory, '.local', 'outputs.json');
  return () => rmSync(directory, { recursive: true });
});

const show = <Result>(work: () => Promise<Result>, { signal } = new AbortController()) =>
  withOutputsFile(file, { ApiUrl: 'http://api' }, work, signal);

describe('the outputs', () => {
  test('are in the file while the work is done, and no longer', async () => {
    const read = await show(async () => readFileSync(file, 'utf8'));
    expect(JSON.parse(read ?? '')).toEqual({ MarketplaceConnector: { ApiUrl: 'http://api' } });
    expect(existsSync(file)).toBe(false);
  });

  test('are gone after work that failed', async () => {
    await expect(show(() => Promise.reject(new Error('the tour failed')))).rejects.toThrow('the tour failed');
    expect(existsSync(file)).toBe(false);
  });

  test('are gone when the work is aborted in the middle', async () => {
    const controller = new AbortController();
    const endless = async () => {
      controller.abort();
      return new Promise<never>(() => {});
    };
    expect(await show(endless, controller)).toBeUndefined();
    expect(existsSync(file)).toBe(false);
  });

  test('are never written when the work was aborted before', async () => {
    expect(
      await show(async () => 'done', { signal: AbortSignal.abort() } as AbortController),
    ).toBeUndefined();
    expect(existsSync(file)).toBe(false);
  });
});
