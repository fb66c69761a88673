import { expect, test, vi } from 'vitest';
import { addLogKeys, logKeys, withLogKeys } from '../../../shared/correlation/log-keys.ts';
import { createLogger } from '../../../shared/lambda/observability.ts';

test('work that runs at the same time has its own keys, also after it waited', async () => {
  const seen = await Promise.all(
    ['a', 'b'].map((storeClientId) =>
      withLogKeys({ storeClientId }, async () => {
        await Promise.resolve();
        addLogKeys({ recordId: `record of ${storeClientId}` });
        await Promise.resolve();
        return logKeys();
      }),
    ),
  );
  expect(seen).toEqual([
    { storeClientId: 'a', recordId: 'record of a' },
    { storeClientId: 'b', recordId: 'record of b' },
  ]);
});

test('inner work has the keys around it, which its own keys do not change', () => {
  withLogKeys({ messageId: 'm', storeClientId: 'a' }, () => {
    withLogKeys({ storeClientId: 'b' }, () => {
      addLogKeys({ batchId: '1' });
      expect(logKeys()).toEqual({ messageId: 'm', storeClientId: 'b', batchId: '1' });
    });
    expect(logKeys()).toEqual({ messageId: 'm', storeClientId: 'a' });
  });
  expect(logKeys()).toEqual({});
});

test('keys that are added outside of any work are in no line', () => {
  addLogKeys({ storeClientId: 'a' });
  expect(logKeys()).toEqual({});
});

test('a log line has the keys of its work, and its own field where both have one', () => {
  const lines: string[] = [];
  const write = vi.spyOn(console, 'info').mockImplementation((line: string) => void lines.push(line));
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  const logger = createLogger();
  withLogKeys({ storeClientId: 'a', batchId: '1' }, () => logger.info('one', { batchId: '2' }));
  logger.info('two');
  vi.unstubAllEnvs();
  write.mockRestore();
  const [one, two] = lines.map((line) => JSON.parse(line));
  expect(one).toMatchObject({ level: 'INFO', message: 'one', storeClientId: 'a', batchId: '2' });
  expect(two).not.toHaveProperty('storeClientId');
});
