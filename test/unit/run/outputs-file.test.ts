import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { prepareOutputs, withOutputsFile } from '../../../local/run/outputs-file.ts';

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'outputs-'));
  file = join(directory, '.local', 'outputs.json');
  return () => rmSync(directory, { recursive: true });
});

const show = async <Result>(work: () => Promise<Result>, { signal } = new AbortController()) => {
  await prepareOutputs(file);
  return withOutputsFile(file, { ApiUrl: 'http://api' }, work, signal);
};

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

describe('an outputs file of another local run', () => {
  const writeOutputsOf = (port: number) => {
    mkdirSync(dirname(file));
    const ChangesQueueUrl = `http://127.0.0.1:${port}/000000000000/changes`;
    writeFileSync(file, JSON.stringify({ MarketplaceConnector: { ChangesQueueUrl } }));
  };

  test('is refused while that run is up, and taken once it has ended', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    writeOutputsOf((server.address() as AddressInfo).port);
    await expect(prepareOutputs(file)).rejects.toThrow(
      `${file} is of another local run that is up: end that one, or name another file with --outputs-file`,
    );
    server.close();
    await once(server, 'close');
    await prepareOutputs(file);
  });

  test('is taken if it is not there, or is damaged', async () => {
    await prepareOutputs(file);
    writeFileSync(file, '{');
    await prepareOutputs(file);
    expect(existsSync(file)).toBe(false);
  });

  test('is refused if it cannot be written', async () => {
    await expect(prepareOutputs(directory)).rejects.toThrow(
      /^\/\S+ cannot be written \(ERR_FS_EISDIR\): name another file with --outputs-file$/,
    );
    writeFileSync(join(directory, '.local'), '');
    await expect(prepareOutputs(file)).rejects.toThrow(/cannot be written \((EEXIST|ENOTDIR)\)/);
  });
});
