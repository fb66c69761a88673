import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readDetail } from '../../../cli/events/read-detail.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'detail-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function read(content: string | Buffer): Promise<object> {
  const file = join(folder, 'detail.json');
  await writeFile(file, content);
  return readDetail(file);
}

describe('the detail of an event in a file', () => {
  test.each([
    ['plain', '{"sku":"Stück"}'],
    ['with a byte order mark', '\uFEFF{"sku":"Stück"}'],
  ])('is read %s', async (_, content) => {
    expect(await read(content)).toEqual({ sku: 'Stück' });
  });

  test.each([
    ['in Latin-1', Buffer.from('{"sku":"Stück"}', 'latin1'), 'is not encoded in UTF-8'],
    ['in UTF-16', Buffer.from('\uFEFF{"sku":"A"}', 'utf16le'), 'is not encoded in UTF-8'],
    ['cut short', '{"sku":', 'is not JSON'],
    ['with a member twice', '{"items":[{"stock":5,"stock":0}]}', 'items.0.stock is given twice'],
    ['that is an array', '[]', 'must have a JSON object'],
  ])('is refused %s', async (_, content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });
});
